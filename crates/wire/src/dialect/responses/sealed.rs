//! Thoughts of other providers, in this API's one place for what nobody can read.
//!
//! A thought is only good with what proves or hides it, and a caller sends `encrypted_content` back as it
//! came. So the signature or the hidden thought of another provider stands there behind a mark, and is taken
//! for what it is when it comes back. This API's own contents are base64 and have no colon.

const SIGNATURE: &str = "signature:";
const HIDDEN: &str = "hidden:";

/// What `encrypted_content` holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sealed<'a> {
    /// The signature of a thought that was told.
    Signature(&'a str),
    /// A thought that another provider hid.
    Hidden(&'a str),
    /// A thought of a provider of this API.
    Own(&'a str),
}

impl<'a> Sealed<'a> {
    pub(super) fn read(content: &'a str) -> Self {
        let signature = content.strip_prefix(SIGNATURE).map(Self::Signature);
        signature
            .or_else(|| content.strip_prefix(HIDDEN).map(Self::Hidden))
            .unwrap_or(Self::Own(content))
    }

    pub(super) fn write(self) -> String {
        match self {
            Self::Signature(value) => format!("{SIGNATURE}{value}"),
            Self::Hidden(value) => format!("{HIDDEN}{value}"),
            Self::Own(value) => value.to_owned(),
        }
    }
}
