//! What a text cites, out of the spellings of each API.
//!
//! Whatever has an address can be told in the two forms of OpenAI, which want to know where in the text it is
//! cited. Anthropic and Bedrock do not say it in numbers: their citations are of the block that they stand in.
//! So in a stream they are told when the block is at its end ([`Block`]) and its length is known.

use std::ops::Range;

use crate::{json, middle::Delta};

/// A source with an address.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Address {
    pub(super) url: String,
    pub(super) title: String,
    /// Characters of the text.
    pub(super) place: Range<usize>,
    /// The words that are cited.
    pub(super) content: Option<String>,
}

impl Address {
    /// What is cited, in a spelling that has the address beside the rest (Responses, Anthropic) or in `web`
    /// (Google); `None` if it has none. `place` is where, unless the citation says it.
    pub(super) fn of(citation: &str, place: Option<Range<usize>>) -> Option<Self> {
        let web = json::member(citation, "web").unwrap_or(citation);
        let names = [
            "url",
            "uri",
            "title",
            "cited_text",
            "start_index",
            "end_index",
        ];
        let [url, uri, title, content, start, end] = json::members(web, &names)?;
        let text = |value: Option<&str>| Some(json::text(value?)?.into_owned());
        let number = |value: Option<&str>| usize::try_from(value.and_then(json::count)?).ok();
        let said = number(start).zip(number(end));
        let said = said.map(|(start, end)| start..end);
        Some(Self {
            url: text(url.or(uri)).filter(|url| !url.is_empty())?,
            title: text(title).unwrap_or_default(),
            place: said.or(place).unwrap_or_default(),
            content: text(content),
        })
    }
}

/// Bytes of citations that may wait for the end of a block.
const WAITING: usize = 1 << 20;

/// The block of text that is being told.
#[derive(Debug, Default)]
pub(super) struct Block {
    /// Characters so far.
    length: usize,
    cited: Vec<String>,
    bytes: usize,
}

impl Block {
    /// Text of it was told.
    pub(super) fn say(&mut self, text: &str) {
        self.length = self.length.saturating_add(text.chars().count());
    }

    /// A citation of it, which waits for its end; where too much waits already it is told at once, and with
    /// no place.
    pub(super) fn cite(&mut self, json: &str, sink: &mut dyn FnMut(Delta<'_>)) {
        if self.bytes.saturating_add(json.len()) > WAITING {
            return tell(json, None, sink);
        }
        self.bytes += json.len();
        self.cited.push(json.to_owned());
    }

    /// It is at its end.
    pub(super) fn end(&mut self, sink: &mut dyn FnMut(Delta<'_>)) {
        let Self { length, cited, .. } = std::mem::take(self);
        let reach = (length > 0).then_some(length);
        cited.iter().for_each(|json| tell(json, reach, sink));
    }
}

fn tell(json: &str, reach: Option<usize>, sink: &mut dyn FnMut(Delta<'_>)) {
    sink(Delta::Citation {
        choice: 0,
        json,
        reach,
    });
}

#[cfg(test)]
mod tests {
    use super::{Address, Block};
    use crate::middle::Delta;

    #[test]
    fn a_place_is_the_citations_own_or_the_blocks() {
        let place = |citation: &str| Address::of(citation, Some(2..4)).unwrap().place;
        assert_eq!(place(r#"{"url":"u","start_index":3,"end_index":9}"#), 3..9);
        assert_eq!(place(r#"{"web":{"uri":"u"}}"#), 2..4);
        assert_eq!(Address::of(r#"{"url":"u"}"#, None).unwrap().place, 0..0);
        assert_eq!(Address::of(r#"{"cited_text":"u"}"#, None), None);
    }

    #[test]
    fn citations_wait_for_the_end_of_their_block_and_no_longer() {
        let mut told = Vec::new();
        let mut sink = |delta: Delta<'_>| {
            if let Delta::Citation { json, reach, .. } = delta {
                told.push((json.len(), reach));
            }
        };
        let mut block = Block::default();
        block.cite("{}", &mut sink);
        block.say("\u{e9}t");
        block.say("\u{e9}");
        let large = "x".repeat(super::WAITING);
        block.cite(&large, &mut sink);
        block.end(&mut sink);
        block.end(&mut sink);
        assert_eq!(told, [(large.len(), None), (2, Some(3))]);
    }
}
