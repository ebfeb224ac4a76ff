//! The number of an event, `sequence_number`, read without a look at the rest of it.
//!
//! An event of ours that ends a stream must continue the count of those before it. Which was the last is known
//! only when the stream breaks, so every event on its way to the caller is asked, relayed ones too: it must
//! cost a search for the name, not another parse. Only where the name stands more than once (several events at
//! once, one that quotes a response) is the last event read as JSON.

use std::{str, sync::LazyLock};

use memchr::memmem::Finder;

use crate::json;

const NAME: &str = "sequence_number";

/// The number of the last event in `events`, whole events of a stream; `None` if it has none.
pub fn last_number(events: &[u8]) -> Option<u64> {
    static QUOTED: LazyLock<Finder<'static>> =
        LazyLock::new(|| Finder::new(b"\"sequence_number\""));
    let mut found = QUOTED.find_iter(events);
    let first = found.next()?;
    let last = match found.last() {
        None => return after(events, first),
        Some(last) => last,
    };
    of_last(events).or_else(|| after(events, last))
}

/// The number that is the value of the quoted name at `at`.
fn after(events: &[u8], at: usize) -> Option<u64> {
    let rest = events.get(at + NAME.len() + 2..)?.trim_ascii_start();
    let value = rest.strip_prefix(b":")?.trim_ascii_start();
    let digits = value.iter().take_while(|b| b.is_ascii_digit()).count();
    str::from_utf8(value.get(..digits)?).ok()?.parse().ok()
}

/// The member of that name of the last event's JSON.
fn of_last(events: &[u8]) -> Option<u64> {
    let mut lines = events.rsplit(|b| matches!(b, b'\n' | b'\r'));
    let data = lines.find_map(|line| line.strip_prefix(b"data:"))?;
    let text = str::from_utf8(data).ok()?;
    json::member(text.trim(), NAME).and_then(json::count)
}

#[cfg(test)]
mod tests {
    use super::last_number;

    fn number(events: &str) -> Option<u64> {
        last_number(events.as_bytes())
    }

    #[test]
    fn the_number_is_found_wherever_it_stands_and_however_it_is_spaced() {
        for event in [
            "event: x\ndata: {\"type\":\"x\",\"sequence_number\":7,\"delta\":\"a\"}\n\n",
            "data: {\"delta\": \"a\", \"sequence_number\": 7}\r\n\r\n",
        ] {
            assert_eq!(number(event), Some(7), "{event}");
        }
    }

    #[test]
    fn the_last_of_several_events_counts() {
        let two = "event: a\ndata: {\"sequence_number\":8}\n\nevent: b\ndata: {\"sequence_number\":9}\n\n";
        assert_eq!(number(two), Some(9));
    }

    #[test]
    fn what_a_text_or_a_quoted_response_says_is_no_number_of_the_event() {
        let text = "data: {\"delta\":\"\\\"sequence_number\\\": 5\",\"sequence_number\":3}\n\n";
        assert_eq!(number(text), Some(3));
        let quoted =
            "data: {\"sequence_number\":4,\"response\":{\"metadata\":{\"sequence_number\":9}}}\n\n";
        assert_eq!(number(quoted), Some(4));
    }

    #[test]
    fn events_without_a_number_have_none() {
        for events in [
            "",
            ": waiting\n",
            "data: [DONE]\n\n",
            "data: {\"sequence_number\":null}\n\n",
            "data: {\"sequence_number\":\"1\"}\n\n",
            "data: {\"sequence_number\":99999999999999999999999}\n\n",
            "data: {\"sequence_number\"",
        ] {
            assert_eq!(number(events), None, "{events}");
        }
    }
}
