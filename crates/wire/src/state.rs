//! State that a conversation carries and that is only good with whoever made it.
//!
//! `previous_response_id`, encrypted reasoning, thinking signatures, file and container ids. To find the
//! maker again only a fingerprint of each is kept; that two are taken for one another is possible and
//! harmless (the provider refuses what is not its own).

/// The fingerprint of a piece of state (64-bit FNV-1a; the text itself is not kept anywhere).
pub fn fingerprint(state: &str) -> u64 {
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    state.bytes().fold(0xcbf2_9ce4_8422_2325, step)
}

#[cfg(test)]
mod tests {
    use super::fingerprint;

    #[test]
    fn the_published_values_come_out() {
        assert_eq!(fingerprint(""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(fingerprint("foobar"), 0x8594_4171_f739_67e8);
    }
}
