//! What an answer is grounded in, as citations of its text.
//!
//! `groundingMetadata` stands beside the text and mostly comes last: sources in one list, and in another which
//! stretch of the text is supported by which of them. Places are counted in bytes of UTF-8 from the beginning of
//! a part; every other API counts characters of the whole text. So the text is kept, and a place is told only if
//! what stands there is what Google says stands there (where it says so): a citation in the wrong place is worse
//! than none. What cannot be placed is named.

use std::collections::HashSet;

use serde::Serialize;

use super::call::Sink;
use crate::{
    json,
    middle::{Delta, Json},
    state::fingerprint,
};

/// A text longer than so many bytes is not kept, and not cited.
const LONGEST: usize = 1 << 20;
/// Characters are counted from the nearest multiple of so many bytes.
const STEP: usize = 1 << 10;
/// Further citations of one answer are not told: what was told is remembered.
const MOST: usize = 4096;

const CHUNKS: &str = "groundingMetadata.groundingChunks";
const SUPPORTS: &str = "groundingMetadata.groundingSupports";

/// The text of a candidate so far, and what was told of its sources.
#[derive(Debug, Default)]
pub(super) struct Cited {
    text: String,
    /// Something else came behind the text, or too much of it: no place in it can be told any more.
    closed: bool,
    /// Fingerprints: Google repeats itself from event to event.
    told: HashSet<u64>,
}

/// A citation in the form of the Responses API.
#[derive(Serialize)]
struct Citation<'a> {
    r#type: &'static str,
    start_index: usize,
    end_index: usize,
    url: &'a str,
    title: &'a str,
}

struct Source {
    url: String,
    title: String,
    used: bool,
}

impl Cited {
    /// Hears what is told of the candidate.
    pub(super) fn hear(&mut self, delta: &Delta<'_>) {
        match delta {
            Delta::Text { text, .. } if self.text.len() + text.len() > LONGEST => {
                self.closed = true;
            }
            Delta::Text { text, .. } if !self.closed => self.text.push_str(text),
            Delta::Reasoning { .. } | Delta::ToolCall { .. } | Delta::Whole { .. } => {
                self.closed |= !self.text.is_empty();
            }
            _ => {}
        }
    }

    /// How much text there is, in bytes.
    pub(super) fn length(&self) -> usize {
        self.text.len()
    }

    /// Tells the citations of `grounding`. `parts` says where in the text each part of this event begins, if
    /// the event is all there is; places in a stream are those of the text as a whole.
    pub(super) fn tell(&mut self, grounding: &str, parts: &[usize], choice: u32, sink: Sink<'_>) {
        let [chunks, supports] =
            json::members(grounding, &["groundingChunks", "groundingSupports"]).unwrap_or_default();
        let mut sources: Vec<Option<Source>> = Vec::new();
        json::elements(chunks.unwrap_or_default(), |chunk| {
            sources.push(source(chunk))
        });
        let mut told = std::mem::take(&mut self.told);
        let mut counted = None;
        let mut lost = false;
        json::elements(supports.unwrap_or_default(), |support| {
            let place = (!self.closed).then(|| self.place(support, parts)).flatten();
            let cited = json::member(support, "groundingChunkIndices").unwrap_or_default();
            let mut any = false;
            json::elements(cited, |index| {
                let at = usize::try_from(json::count(index).unwrap_or(u64::MAX));
                let source = at.ok().and_then(|at| sources.get_mut(at));
                let (Some(Some(source)), Some((start, end))) = (source, place) else {
                    return;
                };
                (any, source.used) = (true, true);
                let this = fingerprint(&format!("{start} {end} {}", source.url));
                if told.len() >= MOST && !told.contains(&this) {
                    lost = true;
                } else if told.insert(this) {
                    let counted = counted.get_or_insert_with(|| Counted::new(&self.text));
                    let citation = Json::of(&Citation {
                        r#type: "url_citation",
                        start_index: counted.characters(start),
                        end_index: counted.characters(end),
                        url: &source.url,
                        title: &source.title,
                    });
                    let json = citation.as_str();
                    let reach = None;
                    sink(Delta::Citation {
                        choice,
                        json,
                        reach,
                    });
                }
            });
            lost |= !any;
        });
        self.told = told;
        if lost {
            sink(Delta::Lost(SUPPORTS));
        }
        if sources
            .iter()
            .any(|source| !source.as_ref().is_some_and(|s| s.used))
        {
            sink(Delta::Lost(CHUNKS));
        }
        others(grounding, sink);
    }

    /// The bytes of the text that a support is about.
    fn place(&self, support: &str, parts: &[usize]) -> Option<(usize, usize)> {
        let segment = json::member(support, "segment")?;
        let names = ["partIndex", "startIndex", "endIndex", "text"];
        let [part, start, end, said] = json::members(segment, &names)?;
        let number =
            |value: Option<&str>| usize::try_from(value.map_or(Some(0), json::count)?).ok();
        let (start, end) = (number(start)?, number(Some(end?))?);
        let said = said.and_then(json::text);
        let from = |base: usize| {
            let place = (base.checked_add(start)?, base.checked_add(end)?);
            // also where it would split a character
            let there = self.text.get(place.0..place.1)?;
            let right = !there.is_empty() && said.as_deref().is_none_or(|said| said == there);
            right.then_some(place)
        };
        let base = number(part).and_then(|part| parts.get(part).copied());
        base.and_then(from).or_else(|| from(0))
    }
}

/// The source in a chunk; `None` for one without an address.
fn source(chunk: &str) -> Option<Source> {
    let kinds = json::members(chunk, &["web", "retrievedContext", "maps"])?;
    let [url, title] = json::members(kinds.into_iter().flatten().next()?, &["uri", "title"])?;
    let url = json::text(url?)?.into_owned();
    (!url.is_empty()).then(|| Source {
        url,
        title: title.and_then(json::text).unwrap_or_default().into_owned(),
        used: false,
    })
}

/// What else is said of the search has no place.
fn others(grounding: &str, sink: Sink<'_>) {
    for (name, value) in json::entries(grounding).unwrap_or_default() {
        let name = match name.as_str() {
            "groundingChunks" | "groundingSupports" => continue,
            "searchEntryPoint" => "groundingMetadata.searchEntryPoint",
            "webSearchQueries" => "groundingMetadata.webSearchQueries",
            _ => "groundingMetadata",
        };
        if !matches!(value, "null" | "{}" | "[]" | "\"\"") {
            sink(Delta::Lost(name));
        }
    }
}

/// A text in which characters can be counted up to any place without counting all of them each time.
struct Counted<'a> {
    text: &'a [u8],
    /// The characters before each multiple of [`STEP`].
    before: Vec<usize>,
}

impl<'a> Counted<'a> {
    fn new(text: &'a str) -> Self {
        let text = text.as_bytes();
        let sums = text.chunks(STEP).scan(0, |sum, chunk| {
            let before = *sum;
            *sum += beginnings(chunk);
            Some(before)
        });
        Self {
            text,
            before: sums.collect(),
        }
    }

    /// The characters before a place between two of them.
    fn characters(&self, at: usize) -> usize {
        let step = (at / STEP).min(self.before.len().saturating_sub(1));
        let before = self.before.get(step).copied().unwrap_or_default();
        before + beginnings(self.text.get(step * STEP..at).unwrap_or_default())
    }
}

/// How many characters begin in these bytes.
fn beginnings(bytes: &[u8]) -> usize {
    bytes.iter().filter(|b| **b & 0xC0 != 0x80).count()
}
