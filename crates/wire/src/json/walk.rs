//! One pass over an object, member by member.
//!
//! A sink is offered every member and says what to do with its value: take it as it is spelled,
//! go into it with another sink, or skip it. Values of a surprising type are skipped, not
//! refused, except where the text is no JSON at all. Skipping does not recurse, and a sink goes
//! only as deep as it says, so no input can exhaust the stack.

use std::{borrow::Cow, fmt};

use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

/// Takes the members of one object as they come.
pub(crate) trait Sink<'a> {
    /// Is offered one member. `key` is bytes because it may hold lone surrogates.
    fn member<A: MapAccess<'a>>(&mut self, key: &[u8], value: Value<'_, A>)
    -> Result<(), A::Error>;
}

/// The value of the member on offer, to be used once.
pub(crate) struct Value<'m, A>(&'m mut A);

impl<'a, A: MapAccess<'a>> Value<'_, A> {
    pub(crate) fn skip(self) -> Result<(), A::Error> {
        self.0.next_value::<IgnoredAny>().map(drop)
    }

    /// As it is spelled.
    pub(crate) fn raw(self) -> Result<&'a str, A::Error> {
        self.0.next_value::<&'a RawValue>().map(RawValue::get)
    }

    /// As it is spelled, `null` as absent.
    pub(crate) fn given(self) -> Result<Option<&'a str>, A::Error> {
        self.raw().map(|raw| (raw != "null").then_some(raw))
    }

    /// Into an object; false if it is none.
    pub(crate) fn object(self, sink: &mut impl Sink<'a>) -> Result<bool, A::Error> {
        self.0.next_value_seed(Inside(sink))
    }

    /// Into an array: a new sink for each object in it, in order; what was there goes.
    pub(crate) fn objects<S: Sink<'a> + Default>(self, sinks: &mut Vec<S>) -> Result<(), A::Error> {
        sinks.clear();
        self.0.next_value_seed(Each(sinks))
    }
}

/// Offers every member of `object` to `sink`.
///
/// # Errors
/// If `object` is not exactly one JSON object.
pub(crate) fn walk<'a>(object: &'a str, sink: &mut impl Sink<'a>) -> Result<(), serde_json::Error> {
    let mut source = serde_json::Deserializer::from_str(object);
    if !Inside(sink).deserialize(&mut source)? {
        return Err(serde_json::Error::custom("not an object"));
    }
    source.end()
}

/// Everything that is neither an object nor an array counts as nothing.
macro_rules! scalars_are {
    ($nothing:expr) => {
        fn visit_unit<E>(self) -> Result<Self::Value, E> {
            Ok($nothing)
        }
        fn visit_bool<E>(self, _: bool) -> Result<Self::Value, E> {
            Ok($nothing)
        }
        fn visit_u64<E>(self, _: u64) -> Result<Self::Value, E> {
            Ok($nothing)
        }
        fn visit_i64<E>(self, _: i64) -> Result<Self::Value, E> {
            Ok($nothing)
        }
        fn visit_f64<E>(self, _: f64) -> Result<Self::Value, E> {
            Ok($nothing)
        }
        fn visit_str<E>(self, _: &str) -> Result<Self::Value, E> {
            Ok($nothing)
        }
    };
}

fn skip_map<'a, A: MapAccess<'a>>(mut map: A) -> Result<(), A::Error> {
    while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
    Ok(())
}

fn skip_seq<'a, A: SeqAccess<'a>>(mut seq: A) -> Result<(), A::Error> {
    while seq.next_element::<IgnoredAny>()?.is_some() {}
    Ok(())
}

struct Inside<'s, S>(&'s mut S);

impl<'a, S: Sink<'a>> DeserializeSeed<'a> for Inside<'_, S> {
    type Value = bool;

    fn deserialize<D: Deserializer<'a>>(self, source: D) -> Result<bool, D::Error> {
        source.deserialize_any(self)
    }
}

impl<'a, S: Sink<'a>> Visitor<'a> for Inside<'_, S> {
    type Value = bool;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_map<A: MapAccess<'a>>(self, mut map: A) -> Result<bool, A::Error> {
        while let Some(key) = map.next_key_seed(Key)? {
            self.0.member(&key, Value(&mut map))?;
        }
        Ok(true)
    }

    fn visit_seq<A: SeqAccess<'a>>(self, seq: A) -> Result<bool, A::Error> {
        skip_seq(seq).map(|()| false)
    }

    scalars_are!(false);
}

struct Each<'s, S>(&'s mut Vec<S>);

impl<'a, S: Sink<'a> + Default> DeserializeSeed<'a> for Each<'_, S> {
    type Value = ();

    fn deserialize<D: Deserializer<'a>>(self, source: D) -> Result<(), D::Error> {
        source.deserialize_any(self)
    }
}

impl<'a, S: Sink<'a> + Default> Visitor<'a> for Each<'_, S> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_seq<A: SeqAccess<'a>>(self, mut seq: A) -> Result<(), A::Error> {
        let mut sink = S::default();
        while let Some(object) = seq.next_element_seed(Inside(&mut sink))? {
            if object {
                self.0.push(std::mem::take(&mut sink));
            }
        }
        Ok(())
    }

    fn visit_map<A: MapAccess<'a>>(self, map: A) -> Result<(), A::Error> {
        skip_map(map)
    }

    scalars_are!(());
}

/// A key; copied only if it is spelled with escapes.
struct Key;

impl<'a> DeserializeSeed<'a> for Key {
    type Value = Cow<'a, [u8]>;

    fn deserialize<D: Deserializer<'a>>(self, source: D) -> Result<Self::Value, D::Error> {
        source.deserialize_bytes(self)
    }
}

impl<'a> Visitor<'a> for Key {
    type Value = Cow<'a, [u8]>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_borrowed_bytes<E>(self, key: &'a [u8]) -> Result<Self::Value, E> {
        Ok(Cow::Borrowed(key))
    }

    fn visit_bytes<E>(self, key: &[u8]) -> Result<Self::Value, E> {
        Ok(Cow::Owned(key.to_vec()))
    }
}
