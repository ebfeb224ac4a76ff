//! What a model takes, told from its name.
//!
//! Claude models from 4.6 on think as much as an effort says, those before by a budget of tokens; from 4.7
//! on the budget and the sampling parameters are refused with 400. A caller of another API can know none
//! of it, so the question is written in the form that its model takes. A name without a number
//! (`claude-mythos-preview`) is of the newest kind; one that is not Claude's (an alias, another provider
//! behind this API) is taken for an old one, because the budget is what such servers know.
//! Source: <https://platform.claude.com/docs/en/build-with-claude/adaptive-thinking>.

/// What a model takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Model {
    /// `thinking.type: adaptive` with `output_config.effort`.
    pub(super) adaptive: bool,
    /// `temperature`, `top_p` and `top_k`, and the effort `xhigh` only if not.
    pub(super) sampling: bool,
    /// It cannot be told not to think.
    pub(super) always_thinks: bool,
}

impl Model {
    /// By its name, in the spelling of any platform.
    pub(super) fn of(name: &str) -> Self {
        let name = name.to_ascii_lowercase();
        let version = match name.split_once("claude") {
            None => Some((0, 0)),
            Some((_, rest)) => version(rest),
        };
        let from = |least: (u32, u32)| version.is_none_or(|version| version >= least);
        Self {
            adaptive: from((4, 6)),
            sampling: !from((4, 7)),
            always_thinks: ["fable", "mythos"].iter().any(|kind| name.contains(kind)),
        }
    }
}

/// The first number of at most two digits and the one right behind it; dates are longer.
fn version(rest: &str) -> Option<(u32, u32)> {
    let number = |word: &str| {
        let short = (1..=2).contains(&word.len());
        word.parse::<u32>().ok().filter(|_| short)
    };
    let mut words = rest.split(|c: char| !c.is_ascii_alphanumeric());
    let major = words.by_ref().find_map(number)?;
    Some((major, words.next().and_then(number).unwrap_or(0)))
}

#[cfg(test)]
mod tests {
    use super::Model;

    #[test]
    fn a_models_kind_is_told_from_any_spelling_of_its_name() {
        for (name, adaptive, sampling) in [
            ("claude-3-5-sonnet-20241022", false, true),
            ("claude-opus-4-20250514", false, true),
            ("claude-sonnet-4-5@20250929", false, true),
            ("us.anthropic.claude-sonnet-4-5-20250929-v1:0", false, true),
            ("claude-opus-4-6", true, true),
            ("anthropic.claude-opus-4-6-v1", true, true),
            ("anthropic/claude-opus-4.7", true, false),
            ("claude-opus-4-8", true, false),
            ("claude-sonnet-5", true, false),
            ("claude-haiku-5-5", true, false),
            ("claude-opus-10", true, false),
            ("claude-mythos-preview", true, false),
            ("kimi-k2-5", false, true),
            ("", false, true),
        ] {
            let model = Model::of(name);
            assert_eq!(
                (model.adaptive, model.sampling),
                (adaptive, sampling),
                "{name}"
            );
        }
        assert!(Model::of("claude-fable-5").always_thinks);
        assert!(!Model::of("claude-opus-5").always_thinks);
    }
}
