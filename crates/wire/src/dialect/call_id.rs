//! Ids of calls, for dialects that have none.
//!
//! A caller names a call by its id when it sends the result, and a conversation may not hold an id twice. So
//! one that is made up is another one in every answer. It comes of what tells the answer from others, and is
//! the same whenever that is read; an answer that nothing tells from others is given a [`mark`].

use std::{
    collections::hash_map::RandomState,
    hash::{BuildHasher as _, Hasher as _},
};

use crate::state::fingerprint;

/// The id of call `index` of a choice. `answer` is what tells the answer from others.
pub(super) fn made(answer: &str, choice: u32, index: u32) -> String {
    let print = fingerprint(&format!("{answer}/{choice}/{index}"));
    format!("call_{print:016x}")
}

/// What tells an answer from others that says nothing of the kind itself: another one each time, also after a
/// restart.
pub(super) fn mark() -> String {
    // each is keyed anew, the first by chance
    format!("{:016x}", RandomState::new().build_hasher().finish())
}

#[cfg(test)]
mod tests {
    use super::{made, mark};

    #[test]
    fn ids_differ_between_answers_choices_and_calls() {
        let ids = [
            made("a", 0, 0),
            made("a", 0, 1),
            made("a", 1, 0),
            made("b", 0, 0),
            made(&mark(), 0, 0),
            made(&mark(), 0, 0),
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
