//! `GET /v1/models` and `GET /v1/models/{id}`, as the OpenAI API writes them
//! (<https://platform.openai.com/docs/api-reference/models>).

use bytes::Bytes;
use serde::Serialize;

/// One model that can be asked for.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Model<'a> {
    /// The name a caller writes in `model`.
    pub id: &'a str,
    object: Kind,
    /// Unix seconds; SDKs expect a number, so "unknown" is 0.
    pub created: u64,
    /// Who serves it.
    pub owned_by: &'a str,
}

#[derive(Clone, Copy, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
enum Kind {
    Model,
    List,
}

impl<'a> Model<'a> {
    /// A model by name, with the Unix second it appeared and its owner.
    pub fn new(id: &'a str, created: u64, owned_by: &'a str) -> Self {
        Self {
            id,
            object: Kind::Model,
            created,
            owned_by,
        }
    }

    /// The JSON of one model.
    pub fn one(&self) -> Bytes {
        json(self)
    }

    /// The JSON of the whole list, in the order given.
    pub fn list(models: &[Self]) -> Bytes {
        #[derive(Serialize)]
        struct List<'a> {
            object: Kind,
            data: &'a [Model<'a>],
        }
        json(&List {
            object: Kind::List,
            data: models,
        })
    }
}

/// Strings and numbers always serialise; an empty body would be the mark of a bug.
fn json(value: &impl Serialize) -> Bytes {
    serde_json::to_vec(value)
        .map(Bytes::from)
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_what_the_sdks_read() {
        let list = Model::list(&[
            Model::new("chat", 0, "punctual"),
            Model::new("o/x\"y", 7, "o"),
        ]);
        let expected = r#"{"object":"list","data":[{"id":"chat","object":"model","created":0,"owned_by":"punctual"},{"id":"o/x\"y","object":"model","created":7,"owned_by":"o"}]}"#;
        assert_eq!(list, expected);
    }

    #[test]
    fn one_model_is_the_element_of_the_list() {
        let one = Model::new("chat", 0, "punctual").one();
        assert_eq!(
            one,
            r#"{"id":"chat","object":"model","created":0,"owned_by":"punctual"}"#
        );
    }
}
