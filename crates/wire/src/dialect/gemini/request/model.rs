//! What a model takes, as far as it is told by its name.
//!
//! From the third generation on thinking is asked for by level, calls must come back with the signature they
//! came with, and results of tools can hold pictures. Earlier ones refuse or ignore these.

/// The generation of a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Generation {
    /// Gemini 2.5 and before, and everything that is not Gemini.
    Early,
    /// Gemini 3 and later, and names that follow the latest.
    Late,
}

impl Generation {
    /// By the name, which may be a path.
    pub(super) fn of(model: &str) -> Self {
        let name = model.rsplit('/').next().unwrap_or(model);
        let Some(version) = name.strip_prefix("gemini-") else {
            return Self::Early;
        };
        let end = version.find(|c: char| !c.is_ascii_digit());
        let digits = version.get(..end.unwrap_or(version.len()));
        let major = digits.and_then(|digits| digits.parse::<u32>().ok());
        match major.is_some_and(|major| major >= 3) || name.ends_with("-latest") {
            true => Self::Late,
            false => Self::Early,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Generation;

    #[test]
    fn the_generation_is_told_by_the_name() {
        for late in [
            "gemini-3-flash-preview",
            "gemini-3.1-pro-preview",
            "models/gemini-10-pro",
            "publishers/google/models/gemini-3.5-flash",
            "gemini-flash-latest",
        ] {
            assert_eq!(Generation::of(late), Generation::Late, "{late}");
        }
        for early in [
            "gemini-2.5-pro",
            "gemini-1.5-flash",
            "gemma-3-27b-it",
            "",
            "gemini-pro",
        ] {
            assert_eq!(Generation::of(early), Generation::Early, "{early}");
        }
    }
}
