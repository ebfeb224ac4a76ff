//! `GET /v1/models` and `GET /v1/models/{id}`, as the OpenAI API writes them
//! (<https://platform.openai.com/docs/api-reference/models>), and for Anthropic's callers with what theirs
//! writes beside that (<https://platform.claude.com/docs/en/api/models-list>). Each SDK leaves the members
//! alone that it does not know, so one list serves both.

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

    /// The same for Anthropic's callers.
    pub fn for_anthropic(self) -> Named<'a> {
        Named {
            r#type: Kind::Model,
            display_name: self.id,
            created_at: UNKNOWN,
            model: self,
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

/// When a model appeared, which that API writes so where nobody knows it.
const UNKNOWN: &str = "1970-01-01T00:00:00Z";

/// A model with the members of Anthropic's API too.
#[derive(Clone, Debug, Serialize)]
pub struct Named<'a> {
    r#type: Kind,
    display_name: &'a str,
    created_at: &'static str,
    #[serde(flatten)]
    model: Model<'a>,
}

impl Named<'_> {
    /// The JSON of one model.
    pub fn one(&self) -> Bytes {
        json(self)
    }

    /// The JSON of the whole list, in the order given; there is no second page.
    pub fn list(models: &[Self]) -> Bytes {
        #[derive(Serialize)]
        struct List<'a> {
            object: Kind,
            data: &'a [Named<'a>],
            has_more: bool,
            first_id: Option<&'a str>,
            last_id: Option<&'a str>,
        }
        json(&List {
            object: Kind::List,
            data: models,
            has_more: false,
            first_id: models.first().map(|m| m.model.id),
            last_id: models.last().map(|m| m.model.id),
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
    use serde_json::Value;

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
    fn anthropics_callers_find_their_members_beside_the_others() {
        let list = Named::list(&[Model::new("chat", 0, "punctual").for_anthropic()]);
        let expected = r#"{"object":"list","data":[{"type":"model","display_name":"chat","created_at":"1970-01-01T00:00:00Z","id":"chat","object":"model","created":0,"owned_by":"punctual"}],"has_more":false,"first_id":"chat","last_id":"chat"}"#;
        assert_eq!(list, expected);
        let none: Value = serde_json::from_slice(&Named::list(&[])).unwrap();
        assert_eq!(none["first_id"], Value::Null);
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
