//! From the tree to typed structs, with every mistake instead of the first.
//!
//! serde stops at the first mistake. So: read; on a mistake note it, take the entry it stands in out of the
//! tree, and read again. Each round removes one entry, so it ends; a file is small, so it is cheap. What
//! was taken out is remembered, so that later checks do not complain about what is missing because of it.

use super::{Node, Value};
use crate::path::{Path, Step};
use serde::de::{
    self, DeserializeOwned, DeserializeSeed, Deserializer, IntoDeserializer, MapAccess, SeqAccess,
    Visitor, value::StrDeserializer,
};
use std::fmt;

/// What is wrong with an entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Wrong {
    /// No such key here; these are known.
    Unknown {
        key: String,
        known: &'static [&'static str],
    },
    /// No such word here; these are known.
    Word {
        word: String,
        known: &'static [&'static str],
    },
    /// Something else, in one sentence.
    Other(String),
}

/// A mistake and where it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Mistake {
    pub(crate) path: Path,
    pub(crate) wrong: Wrong,
}

/// More mistakes than this are not looked for.
const MOST: usize = 200;

/// Reads `T` from the tree, taking out what cannot be read.
pub(crate) fn read<T: DeserializeOwned + Default>(tree: &mut Node) -> (T, Vec<Mistake>) {
    let mut mistakes = Vec::new();
    while mistakes.len() < MOST {
        match T::deserialize(&*tree) {
            Ok(value) => return (value, mistakes),
            Err(mistake) => {
                let whole = mistake.path.steps().is_empty();
                tree.prune(&mistake.path);
                mistakes.push(mistake);
                if whole {
                    break;
                }
            }
        }
    }
    (T::default(), mistakes)
}

impl Mistake {
    fn new(wrong: Wrong) -> Self {
        Self {
            path: Path::root(),
            wrong,
        }
    }

    fn under(mut self, step: Step) -> Self {
        self.path.prepend(step);
        self
    }

    /// Shows the text as written instead of what was filled in: that may be a secret.
    fn hide(mut self, node: &Node) -> Self {
        let (Some(written), Value::Text(text)) = (&node.written, &node.value) else {
            return self;
        };
        match &mut self.wrong {
            Wrong::Other(message) => {
                for text in [text.as_str(), text.trim()]
                    .into_iter()
                    .filter(|t| !t.is_empty())
                {
                    let quoted = format!("{text:?}");
                    *message = message.replace(&quoted, written).replace(text, written);
                }
            }
            Wrong::Word { word, .. } => word.clone_from(written),
            Wrong::Unknown { .. } => {}
        }
        self
    }
}

impl fmt::Display for Mistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.wrong)
    }
}

impl std::error::Error for Mistake {}

impl de::Error for Mistake {
    fn custom<T: fmt::Display>(msg: T) -> Self {
        Self::new(Wrong::Other(msg.to_string()))
    }

    fn unknown_field(field: &str, known: &'static [&'static str]) -> Self {
        Self::new(Wrong::Unknown {
            key: field.to_owned(),
            known,
        })
        .under(Step::Key(field.to_owned()))
    }

    fn unknown_variant(word: &str, known: &'static [&'static str]) -> Self {
        Self::new(Wrong::Word {
            word: word.to_owned(),
            known,
        })
    }

    fn invalid_type(found: de::Unexpected<'_>, wanted: &dyn de::Expected) -> Self {
        let found = match found {
            de::Unexpected::Map => "a map".to_owned(),
            de::Unexpected::Seq => "a list".to_owned(),
            de::Unexpected::Unit | de::Unexpected::Option => "nothing".to_owned(),
            de::Unexpected::Bool(b) => b.to_string(),
            de::Unexpected::Signed(n) => n.to_string(),
            de::Unexpected::Unsigned(n) => n.to_string(),
            de::Unexpected::Float(n) => n.to_string(),
            de::Unexpected::Str(text) => format!("{text:?}"),
            other => other.to_string(),
        };
        let wanted = wanted.to_string();
        Self::custom(format!("this is {found}; here stands {}", plainly(&wanted)))
    }

    fn invalid_value(found: de::Unexpected<'_>, wanted: &dyn de::Expected) -> Self {
        Self::invalid_type(found, wanted)
    }
}

/// What serde calls the types of values, in the words of somebody who writes them.
fn plainly(wanted: &str) -> &str {
    match wanted {
        "u16" => "a whole number from 0 to 65535",
        "u32" => "a whole number from 0 to 4294967295",
        "u64" | "usize" => "a whole number, 0 or more",
        "f32" | "f64" => "a number",
        "a boolean" => "on or off",
        name if name.starts_with("struct ") => "a map of keys",
        other => other,
    }
}

impl Node {
    /// A number or a truth value that came from the environment is text; here it is read as what it means.
    fn filled<T: std::str::FromStr>(&self) -> Option<T> {
        match (&self.written, &self.value) {
            (Some(_), Value::Text(t)) => t.trim().parse().ok(),
            _ => None,
        }
    }

    fn any<'de, V: Visitor<'de>>(&self, visitor: V) -> Result<V::Value, Mistake> {
        match &self.value {
            Value::Null => visitor.visit_unit(),
            Value::Bool(b) => visitor.visit_bool(*b),
            Value::Int(n) => visitor.visit_i64(*n),
            Value::UInt(n) => visitor.visit_u64(*n),
            Value::Float(n) => visitor.visit_f64(*n),
            Value::Text(t) => visitor.visit_str(t),
            Value::List(items) => visitor.visit_seq(Items(items.iter().enumerate(), items.len())),
            Value::Map(entries) => visitor.visit_map(Entries {
                left: entries,
                now: None,
            }),
        }
    }
}

macro_rules! numbers {
    ($($name:ident: $type:ty, $visit:ident;)*) => {$(
        fn $name<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mistake> {
            match self.filled::<$type>() {
                Some(n) => visitor.$visit(n),
                None => self.deserialize_any(visitor),
            }
        }
    )*};
}

impl<'de> Deserializer<'de> for &Node {
    type Error = Mistake;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mistake> {
        self.any(visitor).map_err(|m| m.hide(self))
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mistake> {
        match self.value {
            Value::Null => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Mistake> {
        visitor.visit_newtype_struct(self)
    }

    // what derived readers would take by its place in a list has a name here
    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Mistake> {
        match self.value {
            Value::List(_) => Err(de::Error::invalid_type(de::Unexpected::Seq, &visitor)),
            _ => self.deserialize_any(visitor),
        }
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        known: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Mistake> {
        let read = match &self.value {
            Value::Text(t) => visitor.visit_enum(StrDeserializer::new(t)),
            // a word that YAML itself reads as something else
            Value::Bool(b) => {
                visitor.visit_enum(StrDeserializer::new(if *b { "true" } else { "false" }))
            }
            _ => Err(Mistake::new(Wrong::Other(format!(
                "here stands one word of {}",
                known.join(", ")
            )))),
        };
        read.map_err(|m: Mistake| m.hide(self))
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mistake> {
        match &self.value {
            Value::Bool(_) | Value::Int(_) | Value::UInt(_) | Value::Float(_) => Err(Mistake::new(Wrong::Other(
                "YAML reads this as a number or a truth value; here stands text, so put it in quotes".to_owned(),
            ))),
            _ => self.deserialize_any(visitor),
        }
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mistake> {
        self.deserialize_str(visitor)
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mistake> {
        visitor.visit_unit()
    }

    numbers! {
        deserialize_bool: bool, visit_bool;
        deserialize_u8: u64, visit_u64; deserialize_u16: u64, visit_u64;
        deserialize_u32: u64, visit_u64; deserialize_u64: u64, visit_u64;
        deserialize_i8: i64, visit_i64; deserialize_i16: i64, visit_i64;
        deserialize_i32: i64, visit_i64; deserialize_i64: i64, visit_i64;
        deserialize_f32: f64, visit_f64; deserialize_f64: f64, visit_f64;
    }

    serde::forward_to_deserialize_any! {
        i128 u128 char bytes byte_buf unit unit_struct seq tuple tuple_struct map identifier
    }
}

struct Items<'a>(std::iter::Enumerate<std::slice::Iter<'a, Node>>, usize);

impl<'de> SeqAccess<'de> for Items<'_> {
    type Error = Mistake;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, Mistake> {
        let Some((i, node)) = self.0.next() else {
            return Ok(None);
        };
        seed.deserialize(node)
            .map(Some)
            .map_err(|m| m.under(Step::Item(i)))
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.1)
    }
}

struct Entries<'a> {
    left: &'a [super::Entry],
    now: Option<&'a super::Entry>,
}

impl<'de> MapAccess<'de> for Entries<'_> {
    type Error = Mistake;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, Mistake> {
        let Some((first, rest)) = self.left.split_first() else {
            return Ok(None);
        };
        (self.left, self.now) = (rest, Some(first));
        let key: StrDeserializer<'_, Mistake> = first.key.as_str().into_deserializer();
        seed.deserialize(key).map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Mistake> {
        let Some(e) = self.now.take() else {
            return Err(Mistake::new(Wrong::Other(
                "a value without a key".to_owned(),
            )));
        };
        seed.deserialize(&e.node)
            .map_err(|m| m.under(Step::Key(e.key.clone())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize;
    use std::collections::BTreeMap;

    #[derive(Debug, Default, Deserialize)]
    #[serde(deny_unknown_fields, default)]
    struct Inner {
        n: Option<u32>,
        word: Option<String>,
        flag: Option<bool>,
    }

    #[test]
    fn every_mistake_is_found_and_the_rest_is_read() {
        let mut tree = Node::parse(
            "a: { n: x, word: 4.1, flag: true }\nb: { nn: 1, n: 2 }\nc: 7\nd: { n: -1 }\n",
        )
        .unwrap();
        let (read, mistakes) = read::<BTreeMap<String, Inner>>(&mut tree);
        let paths: Vec<_> = mistakes.iter().map(|m| m.path.to_string()).collect();
        assert_eq!(paths, ["a.n", "a.word", "b.nn", "c", "d.n"]);
        assert_eq!(read["a"].flag, Some(true));
        assert_eq!(read["b"].n, Some(2));
        assert!(
            matches!(&mistakes[2].wrong, Wrong::Unknown { key, known } if key == "nn" && known.contains(&"word"))
        );
    }

    #[test]
    fn a_value_from_the_environment_is_never_shown() {
        let mut tree = Node::parse("n: x\nflag: x\n").unwrap();
        tree.texts(&Path::root(), &mut |p, n| {
            n.written = Some("${SECRET}".to_owned());
            n.value = Value::Text(
                if p.last_key() == Some("n") {
                    "hunter2"
                } else {
                    "true"
                }
                .to_owned(),
            );
        });
        let (read, mistakes) = read::<Inner>(&mut tree);
        assert_eq!(read.flag, Some(true));
        assert!(!format!("{mistakes:?}").contains("hunter2"), "{mistakes:?}");
        assert!(
            format!("{mistakes:?}").contains("${SECRET}"),
            "{mistakes:?}"
        );
    }
}
