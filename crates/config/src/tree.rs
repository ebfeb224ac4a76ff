//! A YAML file as a tree in which every value knows its line and column.
//!
//! Typed reading stops at its first mistake and forgets where things stood; the tree is what is left to
//! look at afterwards: problems found by any later check ask it for the place of a path, and an entry
//! that cannot be read is taken out so that the rest still can (see [`read`](self::read)).
//!
//! `${NAME}` is written without quotes inside `{ }` in many files, where YAML would take the brace for a
//! map. So the braces of references are swapped for two private characters of the same width before
//! parsing, and places stay true.

use crate::path::{Path, Step};
use serde::{
    Deserialize, Deserializer,
    de::{self, MapAccess, SeqAccess, Visitor},
};
use serde_saphyr::{DuplicateKeyPolicy, Spanned};
use std::{collections::HashSet, fmt};

pub(crate) mod read;

/// Line and column, both from 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) line: u32,
    pub(crate) column: u32,
}

impl Place {
    fn new(line: u64, column: u64) -> Self {
        let fit = |n: u64| u32::try_from(n).unwrap_or(u32::MAX);
        Self {
            line: fit(line),
            column: fit(column),
        }
    }
}

/// A value and where it stands.
#[derive(Clone, Debug, Default)]
pub(crate) struct Node {
    pub(crate) at: Place,
    pub(crate) value: Value,
    /// The text as it stands in the file, when references in it were filled in.
    pub(crate) written: Option<String>,
}

/// What YAML knows.
#[derive(Clone, Debug, Default)]
pub(crate) enum Value {
    #[default]
    Null,
    Bool(bool),
    Int(i64),
    UInt(u64),
    Float(f64),
    Text(String),
    List(Vec<Node>),
    Map(Vec<Entry>),
}

/// A key, where it stands, and its value.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) key: String,
    pub(crate) at: Place,
    pub(crate) node: Node,
}

/// Why the text is not YAML, and where.
#[derive(Debug)]
pub(crate) struct NotYaml {
    pub(crate) at: Option<Place>,
    pub(crate) message: String,
}

/// `{` and `}` of a reference while YAML is parsed; private characters, valid in plain scalars.
pub(crate) const OPEN: char = '\u{e000}';
pub(crate) const CLOSE: char = '\u{e001}';

/// How deep a file may be nested. Each level takes about 32 KiB of the stack of whoever reads, without
/// optimizations, and threads have 2 MiB. A plan of a dozen nodes within each other fits.
const DEEPEST: usize = 32;

/// Swaps the braces of `${…}` for [`OPEN`] and [`CLOSE`].
fn shield(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find("${") {
        let (before, reference) = rest.split_at(start);
        out.push_str(before);
        let body = reference.strip_prefix("${").unwrap_or(reference);
        let end = body
            .find(['}', '\n'])
            .filter(|e| body.get(*e..).is_some_and(|b| b.starts_with('}')));
        match end.and_then(|e| Some((body.get(..e)?, body.get(e + 1..)?))) {
            Some((name, after)) => {
                out.extend(['$', OPEN]);
                out.push_str(name);
                out.push(CLOSE);
                rest = after;
            }
            None => {
                out.push_str("${");
                rest = body;
            }
        }
    }
    out.push_str(rest);
    out
}

/// Puts the braces back, for text that is shown.
pub(crate) fn unshield(text: &str) -> String {
    text.replace(OPEN, "{").replace(CLOSE, "}")
}

/// What the parser says, without the place, which is told anyway, and without words for its own limits.
fn said(message: &str) -> String {
    let message = message.rsplit_once(" at line ").map_or(message, |(m, _)| m);
    let deep = ["budget breached: Depth", "recursion limit"];
    match deep.iter().any(|limit| message.starts_with(limit)) {
        true => format!("the file is nested deeper than {DEEPEST} levels"),
        false => message.to_owned(),
    }
}

impl Node {
    /// Parses one YAML document; an empty one is an empty map.
    pub(crate) fn parse(text: &str) -> Result<Self, NotYaml> {
        let options = serde_saphyr::options! {
            duplicate_keys: DuplicateKeyPolicy::PassThrough,
            strict_booleans: true,
            budget: serde_saphyr::budget! { max_depth: DEEPEST },
        };
        let text = shield(text.strip_prefix('\u{feff}').unwrap_or(text));
        if text
            .lines()
            .all(|l| l.trim().is_empty() || l.trim_start().starts_with('#'))
        {
            return Ok(Self {
                value: Value::Map(Vec::new()),
                ..Self::default()
            });
        }
        serde_saphyr::from_str_with_options::<Self>(&text, options).map_err(|e| {
            let e = e.without_snippet();
            NotYaml {
                at: e
                    .location()
                    .filter(|l| l.line() > 0)
                    .map(|l| Place::new(l.line(), l.column())),
                message: said(&first_line(&e.to_string())),
            }
        })
    }

    /// The place of `path`, or of the nearest thing above it that exists.
    pub(crate) fn place(&self, path: &Path) -> Option<Place> {
        let (mut node, mut at) = (self, self.at);
        for step in path.steps() {
            let Some((key_at, below)) = node.below(step) else {
                break;
            };
            at = match below.value {
                Value::List(_) | Value::Map(_) | Value::Null => key_at,
                _ => below.at,
            };
            node = below;
        }
        (at.line > 0).then_some(at)
    }

    /// The place of the key that `path` ends in.
    pub(crate) fn key_place(&self, path: &Path) -> Option<Place> {
        let (last, above) = path.steps().split_last()?;
        let node = above
            .iter()
            .try_fold(self, |n, s| n.below(s).map(|(_, b)| b))?;
        node.below(last).map(|(at, _)| at)
    }

    fn below(&self, step: &Step) -> Option<(Place, &Self)> {
        match (step, &self.value) {
            (Step::Key(k), Value::Map(entries)) => entries
                .iter()
                .find(|e| e.key == *k)
                .map(|e| (e.at, &e.node)),
            (Step::Item(i), Value::List(items)) => items.get(*i).map(|n| (n.at, n)),
            _ => None,
        }
    }

    /// Takes out what stands at `path`.
    pub(crate) fn prune(&mut self, path: &Path) {
        let Some((last, above)) = path.steps().split_last() else {
            *self = Self::default();
            return;
        };
        let mut node = self;
        for step in above {
            let below = match (step, &mut node.value) {
                (Step::Key(k), Value::Map(es)) => {
                    es.iter_mut().find(|e| e.key == *k).map(|e| &mut e.node)
                }
                (Step::Item(i), Value::List(items)) => items.get_mut(*i),
                _ => None,
            };
            let Some(below) = below else { return };
            node = below;
        }
        match (last, &mut node.value) {
            (Step::Key(k), Value::Map(entries)) => entries.retain(|e| e.key != *k),
            (Step::Item(i), Value::List(items)) if *i < items.len() => {
                items.remove(*i);
            }
            _ => {}
        }
    }

    /// Every text below, with its path.
    pub(crate) fn texts(&mut self, path: &Path, seen: &mut impl FnMut(&Path, &mut Self)) {
        match &mut self.value {
            Value::Map(entries) => {
                for e in entries {
                    e.node.texts(&path.key(&e.key), seen);
                }
            }
            Value::List(items) => {
                for (i, n) in items.iter_mut().enumerate() {
                    n.texts(&path.item(i), seen);
                }
            }
            Value::Text(_) => seen(path, self),
            _ => {}
        }
    }

    /// The keys below that have nothing behind them.
    pub(crate) fn empty(&self, path: &Path, out: &mut Vec<Path>) {
        match &self.value {
            Value::Map(entries) => {
                for e in entries {
                    let path = path.key(&e.key);
                    match e.node.value {
                        Value::Null => out.push(path),
                        _ => e.node.empty(&path, out),
                    }
                }
            }
            Value::List(items) => {
                for (i, n) in items.iter().enumerate() {
                    n.empty(&path.item(i), out);
                }
            }
            _ => {}
        }
    }

    /// Takes out keys that stand twice in one map: the first stays, the places of the others are told.
    pub(crate) fn dedupe(&mut self, path: &Path, out: &mut Vec<(Path, Place)>) {
        match &mut self.value {
            Value::Map(entries) => {
                let mut seen = HashSet::new();
                entries.retain(|e| {
                    let new = seen.insert(e.key.clone());
                    if !new {
                        out.push((path.key(&e.key), e.at));
                    }
                    new
                });
                for e in entries {
                    e.node.dedupe(&path.key(&e.key), out);
                }
            }
            Value::List(items) => {
                for (i, n) in items.iter_mut().enumerate() {
                    n.dedupe(&path.item(i), out);
                }
            }
            _ => {}
        }
    }
}

fn first_line(text: &str) -> String {
    let line = text
        .lines()
        .find(|l| !l.trim().is_empty())
        .unwrap_or("not YAML");
    unshield(line.trim())
}

impl<'de> Deserialize<'de> for Node {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        let Spanned {
            value, referenced, ..
        } = Spanned::<Value>::deserialize(d)?;
        let at = Place::new(referenced.line(), referenced.column());
        Ok(Self {
            at,
            value,
            written: None,
        })
    }
}

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        d.deserialize_any(AnyValue)
    }
}

struct AnyValue;

impl<'de> Visitor<'de> for AnyValue {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }
    fn visit_unit<E: de::Error>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }
    fn visit_none<E: de::Error>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }
    fn visit_bool<E: de::Error>(self, b: bool) -> Result<Value, E> {
        Ok(Value::Bool(b))
    }
    fn visit_i64<E: de::Error>(self, n: i64) -> Result<Value, E> {
        Ok(Value::Int(n))
    }
    fn visit_u64<E: de::Error>(self, n: u64) -> Result<Value, E> {
        Ok(Value::UInt(n))
    }
    fn visit_f64<E: de::Error>(self, n: f64) -> Result<Value, E> {
        Ok(Value::Float(n))
    }
    fn visit_str<E: de::Error>(self, text: &str) -> Result<Value, E> {
        Ok(Value::Text(text.to_owned()))
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Value, A::Error> {
        let mut items = Vec::new();
        while let Some(node) = seq.next_element()? {
            items.push(node);
        }
        Ok(Value::List(items))
    }
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        let mut entries = Vec::new();
        while let Some(key) = map.next_key::<Spanned<String>>()? {
            let at = Place::new(key.referenced.line(), key.referenced.column());
            entries.push(Entry {
                key: unshield(&key.value),
                at,
                node: map.next_value()?,
            });
        }
        Ok(Value::Map(entries))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "server: { listen: 127.0.0.1:8080 }\n# said\ntargets:\n  fast:\n    model: gpt\n    api_key: ${KEY}\n  list: [a, {b: 2}]\n";

    #[test]
    fn every_value_knows_its_place() {
        let t = Node::parse(FILE).unwrap();
        let at = |p: &Path| t.place(p).map(|p| (p.line, p.column));
        let targets = Path::root().key("targets");
        assert_eq!(at(&Path::root().key("server").key("listen")), Some((1, 19)));
        assert_eq!(at(&targets.key("fast").key("model")), Some((5, 12)));
        assert_eq!(at(&targets.key("fast")), Some((4, 3)));
        assert_eq!(at(&targets.key("list").item(1).key("b")), Some((7, 17)));
        assert_eq!(at(&targets.key("fast").key("nothing")), Some((4, 3)));
        assert_eq!(
            t.key_place(&targets.key("fast").key("model"))
                .map(|p| p.column),
            Some(5)
        );
    }

    #[test]
    fn a_reference_needs_no_quotes_inside_braces() {
        let t = Node::parse("a: { key: ${NAME}, other: ${X:-y} }\n").unwrap();
        let at = t.place(&Path::root().key("a").key("other"));
        assert_eq!(at.map(|p| p.column), Some(27));
        assert_eq!(shield("a: ${open\nb: }"), "a: ${open\nb: }");
    }

    #[test]
    fn what_is_not_yaml_says_where() {
        let e = Node::parse("a:\n  b: [1, 2\nc: 3\n").unwrap_err();
        assert!(e.at.is_some_and(|p| p.line >= 2), "{e:?}");
        assert!(Node::parse("# only words\n\n").is_ok());
    }

    #[test]
    fn a_key_that_stands_twice_is_seen() {
        let mut t = Node::parse("a: 1\nb: { c: 1, c: 2 }\na: 2\n").unwrap();
        let mut out = Vec::new();
        t.dedupe(&Path::root(), &mut out);
        let found: Vec<_> = out
            .iter()
            .map(|(p, at)| (p.to_string(), at.line, at.column))
            .collect();
        assert_eq!(found, [("a".to_owned(), 3, 1), ("b.c".to_owned(), 2, 12)]);
    }
}
