//! Ids of calls, for dialects that have none.
//!
//! A caller names a call by its id when it sends the result, and a conversation may not hold an id twice. So
//! one that is made up is another one in every answer; and always the same for the same call, because
//! nothing here depends on chance.

use crate::state::fingerprint;

/// The id of call `index` of a choice. `answer` is what tells the answer from others; empty if nothing does.
pub(super) fn made(answer: &str, choice: u32, index: u32) -> String {
    match answer.is_empty() {
        true => format!("call_{choice}_{index}"),
        false => format!(
            "call_{:016x}",
            fingerprint(&format!("{answer}/{choice}/{index}"))
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::made;

    #[test]
    fn ids_differ_between_answers_choices_and_calls() {
        let ids = [
            made("a", 0, 0),
            made("a", 0, 1),
            made("a", 1, 0),
            made("b", 0, 0),
            made("", 0, 0),
        ];
        let distinct: std::collections::HashSet<_> = ids.iter().collect();
        assert_eq!(distinct.len(), ids.len());
        assert_eq!(made("a", 0, 0), ids[0]);
        // OpenAI takes 64 characters, Anthropic letters, digits, `_` and `-`
        assert!(
            ids.iter()
                .all(|id| id.len() <= 64 && id.starts_with("call_"))
        );
    }
}
