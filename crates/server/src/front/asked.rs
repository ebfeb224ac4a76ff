//! From a request whose body is here to a call: its route, its clocks, what it carries.
//!
//! What a body asks for goes to the route that its `model` names. What was made before is nobody's by name:
//! such a call may go to every target that its key may use, and the engine narrows that to whoever made it.
//! What is passed on goes to the one target that the path names, and only there.

use super::{
    Visit,
    admit::{Stop, in_time},
    path,
    place::{Ask, Stored},
    words,
};
use crate::{
    answer::Refusal, declared::Declared, keys::Key, memory::Held, routes::Resolved, routes::Route,
};
use bytes::Bytes;
use http::{HeaderName, Method, request::Parts};
use punctual_core::{Call, Deadline, Record, Room, Source, State, Surface, Upstream};
use punctual_wire::{Peek, state::fingerprint};
use std::{sync::Arc, time::Duration};

mod passed;

/// No caller can ask for heartbeats more often than this.
const QUICKEST: Duration = Duration::from_millis(50);

/// A request whose body is here.
pub(super) struct Asked {
    pub(super) id: Arc<str>,
    pub(super) head: Parts,
    pub(super) bytes: Bytes,
    pub(super) declared: Declared,
    pub(super) deadline: Deadline,
    pub(super) key: Option<Arc<Key>>,
}

/// Where it goes, and what depends on what was asked for.
struct Goal {
    resolved: Resolved,
    /// The route was named, and is what is recorded.
    named: bool,
    stream: bool,
    path: Option<Arc<str>>,
    state: State,
    peek: Option<Peek>,
}

impl Asked {
    /// Finds the route and all that it says. The second is the interval of heartbeats, for this route, key
    /// and caller.
    pub(super) fn call<U: Upstream>(
        mut self: Box<Self>,
        ask: Ask<'_>,
        peek: Option<Peek>,
        visit: &Visit<U>,
        record: &mut Record,
    ) -> Result<(Box<Call>, Option<Duration>), Stop> {
        let goal = match (ask, peek) {
            (Ask::Stored(stored), _) => self.stored(stored, visit)?,
            (Ask::Passed(passed), _) => self.passed(passed, visit)?,
            (Ask::Body(surface), Some(peek)) => self.modelled(peek, surface, visit)?,
            (Ask::Body(_), None) => return Err(Refusal::unknown_path().into()),
        };
        let route = goal.resolved.route.clone();
        self.tighten(&route, goal.stream);
        let key = self.key.as_ref().map(|k| k.name.clone());
        let name = goal.named.then(|| route.name.clone());
        record.identify(name, key, goal.stream, self.deadline);
        match ask {
            Ask::Passed(passed) => self.may_pass(passed, &route, visit)?,
            _ if goal.named && !self.may_use(&route) => {
                return Err(Refusal::not_for_this_key().into());
            }
            _ => {}
        }
        in_time(&self.deadline)?;
        let heartbeat = match ask {
            // bytes of which nothing is known have no place for one
            Ask::Passed(_) => None,
            _ => self.heartbeat(&route),
        };
        let memory = visit.link.gateway.memory.clone();
        let room = Held::new(memory, visit.now.settings.max_memory_bytes);
        let affinity = &visit.now.settings.affinity_header;
        Ok((self.into_call(ask, goal, affinity, room), heartbeat))
    }

    fn may_use(&self, route: &Route) -> bool {
        self.key.as_ref().is_none_or(|k| k.may_use(&route.name))
    }

    /// By the model that the body names.
    fn modelled<U: Upstream>(
        &self,
        peek: Peek,
        surface: Surface,
        visit: &Visit<U>,
    ) -> Result<Goal, Stop> {
        let streams = words::wire(surface).streams();
        // embeddings are asked for with whatever a client sends to everything, and its API does not mind
        if peek.stream && !streams && surface != Surface::Embeddings {
            return Err(Refusal::no_streams().into());
        }
        let routes = &visit.now.routes;
        let resolved = routes.resolve(&peek.model).ok_or_else(|| {
            if routes.is_odd(&peek.model) {
                return Refusal::odd_model();
            }
            let allowed = |route: &str| self.key.as_ref().is_none_or(|k| k.may_use(route));
            Refusal::unknown_model(routes.nearest(&peek.model, allowed))
        })?;
        Ok(Goal {
            resolved,
            named: true,
            stream: peek.stream && streams,
            path: None,
            state: State {
                required: peek.state.required.clone(),
                items: peek.state.items.clone(),
                files: peek.state.files.clone(),
                pieces: peek.state.pieces.clone(),
                affinity: None,
            },
            peek: Some(peek),
        })
    }

    /// By who made it.
    fn stored<U: Upstream>(&self, stored: Stored<'_>, visit: &Visit<U>) -> Result<Goal, Stop> {
        if !path::is_id(stored.id) {
            return Err(Refusal::odd_response_id().into());
        }
        let route = visit.now.routes.over(|route| self.may_use(route));
        let query = self.head.uri.query().unwrap_or_default();
        let stream = self.head.method == Method::GET
            && stored.is_whole()
            && query.split('&').any(|p| p == "stream=true");
        Ok(Goal {
            resolved: Resolved {
                route: route.ok_or_else(Refusal::not_for_this_key)?,
                model: "".into(),
            },
            named: false,
            stream,
            path: Some(self.below(stored.below, visit)),
            state: State {
                required: vec![fingerprint(stored.id)],
                ..State::default()
            },
            peek: None,
        })
    }

    fn tighten(&mut self, route: &Route, stream: bool) {
        self.declared.bind_kind(&mut self.deadline, stream);
        if let Some(ceiling) = route.deadline {
            self.deadline.tighten(ceiling, Source::Route);
        }
    }

    /// Twice within the silence that the caller can bear.
    fn heartbeat(&self, route: &Route) -> Option<Duration> {
        let configured = match self.key.as_ref().and_then(|k| k.heartbeat) {
            Some(of_key) => of_key,
            None => route.policy.heartbeat,
        };
        let bearable = self.declared.silence().map_or(Duration::MAX, |s| s / 2);
        configured
            .filter(|every| !every.is_zero())
            .map(|every| every.min(bearable).max(QUICKEST))
    }

    /// What a caller's calls have in common, by its header or else by the body's `prompt_cache_key`. Keys
    /// share nothing.
    fn affinity(&self, header: &HeaderName, peek: Option<&Peek>) -> Option<u64> {
        let said = self.head.headers.get(header);
        let said = said.map(|v| String::from_utf8_lossy(v.as_bytes()).into_owned());
        let value = said.or_else(|| peek?.prompt_cache_key.clone());
        let value = value.filter(|v| !v.is_empty())?;
        let key = self.key.as_ref().map_or("", |k| &k.name);
        Some(fingerprint(&format!("{key}\n{value}")))
    }

    fn into_call(
        self: Box<Self>,
        ask: Ask<'_>,
        goal: Goal,
        affinity: &HeaderName,
        room: Arc<dyn Room>,
    ) -> Box<Call> {
        let affinity = self.affinity(affinity, goal.peek.as_ref());
        let Resolved { route, model } = goal.resolved;
        let mut call = Box::new(Call {
            id: self.id,
            method: self.head.method,
            path: goal.path,
            stream: goal.stream,
            model,
            // what is asked of a stored response stands in its path
            body: match ask {
                Ask::Stored(_) => Bytes::new(),
                _ => self.bytes,
            },
            headers: Arc::new(self.head.headers),
            state: State {
                affinity,
                ..goal.state
            },
            key: self.key.as_ref().map(|k| k.name.clone()),
            policy: route.policy.clone(),
            room: Some(room),
            ..Call::new(ask.surface(), route.plan.clone(), self.deadline)
        });
        if let Some(peek) = goal.peek {
            call.choices = peek.n;
            call.include_usage = peek.include_usage;
            call.model_span = peek.model_span;
        }
        call
    }
}
