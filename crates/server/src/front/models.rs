//! `GET /v1/models` and `GET /v1/models/{id}`: the configured names that the caller's key may use.

use super::Visit;
use crate::{
    answer::{self, Answered, Refusal},
    keys::Key,
};
use http::{HeaderMap, StatusCode};
use percent_encoding::percent_decode_str;
use punctual_core::Upstream;
use punctual_wire::models::Model;
use std::sync::Arc;

pub(super) fn list<U: Upstream>(visit: &Visit<U>, headers: &HeaderMap) -> Answered<U> {
    match visit.now.keys.check(headers) {
        Err(denied) => answer::refused(visit, &Refusal::denied(denied)),
        Ok(key) => {
            let models: Vec<_> = offered(visit, &key).collect();
            answer::json(visit, StatusCode::OK, Model::list(&models))
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
        Some(model) => answer::json(visit, StatusCode::OK, model.one()),
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
