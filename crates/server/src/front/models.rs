//! `GET /v1/models` and `GET /v1/models/{id}`: the configured names that the caller's key may use.
//!
//! The path is OpenAI's and Anthropic's both. Anthropic's callers are known by their header and get the members
//! of their API beside those of the other.

use super::Visit;
use crate::{
    answer::{self, Answered, Refusal},
    keys::Key,
};
use http::{HeaderMap, StatusCode};
use percent_encoding::percent_decode_str;
use punctual_core::Upstream;
use punctual_wire::models::{Model, Named};
use std::sync::Arc;

pub(super) fn list<U: Upstream>(visit: &Visit<U>, headers: &HeaderMap) -> Answered<U> {
    match visit.now.keys.check(headers) {
        Err(denied) => answer::refused(visit, &Refusal::denied(denied)),
        Ok(key) => {
            let models = offered(visit, &key);
            let list = match visit.words.is_anthropic() {
                true => Named::list(&models.map(Model::for_anthropic).collect::<Vec<_>>()),
                false => Model::list(&models.collect::<Vec<_>>()),
            };
            answer::json(visit, StatusCode::OK, list)
        }
    }
}

/// An id may hold slashes, as they are or as `%2F`.
pub(super) fn one<U: Upstream>(visit: &Visit<U>, headers: &HeaderMap, id: &str) -> Answered<U> {
    let key = match visit.now.keys.check(headers) {
        Err(denied) => return answer::refused(visit, &Refusal::denied(denied)),
        Ok(key) => key,
    };
    let id = percent_decode_str(id).decode_utf8_lossy();
    let found = offered(visit, &key).find(|model| model.id == id);
    match found {
        Some(model) => {
            let one = match visit.words.is_anthropic() {
                true => model.for_anthropic().one(),
                false => model.one(),
            };
            answer::json(visit, StatusCode::OK, one)
        }
        None => {
            let nearest = visit.now.routes.nearest(&id, |route| may_use(&key, route));
            answer::refused(visit, &Refusal::unknown_model(nearest))
        }
    }
}

fn may_use(key: &Option<Arc<Key>>, route: &str) -> bool {
    key.as_ref().is_none_or(|k| k.may_use(route))
}

fn offered<'a, U: Upstream>(
    visit: &'a Visit<U>,
    key: &'a Option<Arc<Key>>,
) -> impl Iterator<Item = Model<'a>> {
    let names = visit.now.routes.names();
    names
        .filter(move |(_, route)| may_use(key, &route.name))
        .map(|(name, route)| Model::new(name, 0, &route.owned_by))
}
