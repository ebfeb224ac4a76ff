//! What all connections of one simulator share: the scripts, the record, and the choice between them.
//!
//! Which script a request gets is decided here and nowhere else: a path segment, then the script set for
//! the model, then the model's own name, then the plain answer.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::time::Instant;

use crate::admin;
use crate::answer::{Accept, Answer};
use crate::ask::Ask;
use crate::listen::Listen;
use crate::log::Log;
use crate::made::Made;
use crate::route::{self, Surface};
use crate::script::{Script, ScriptError};
use crate::surface;
use crate::tls::Tls;

/// Beyond this many counted names, counting starts afresh; names come from clients.
const MAX_COUNTED: usize = 10_000;

#[derive(Default)]
struct Scripts {
    set: HashMap<String, Script>,
    accept: Script,
    /// How often a script with `fail=` has been used, by model or path.
    used: HashMap<String, usize>,
}

/// The shared part of a simulator.
pub(crate) struct Host {
    pub(crate) log: Arc<Log>,
    pub(crate) tls: Option<Tls>,
    pub(crate) http2: bool,
    pub(crate) max_streams: u32,
    pub(crate) started: Instant,
    /// Part of each response id.
    port: u16,
    scripts: Mutex<Scripts>,
    made: Mutex<Made>,
}

impl Host {
    pub(crate) fn new(tls: Option<Tls>, listen: &Listen, port: u16) -> Self {
        Self {
            log: Arc::default(),
            tls,
            http2: listen.http2,
            max_streams: listen.max_streams,
            started: Instant::now(),
            port,
            scripts: Mutex::new(Scripts {
                accept: listen.accept.clone(),
                ..Scripts::default()
            }),
            made: Mutex::default(),
        }
    }

    fn made(&self) -> MutexGuard<'_, Made> {
        self.made.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn scripts(&self) -> MutexGuard<'_, Scripts> {
        self.scripts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn set(&self, model: String, script: Script) {
        let mut scripts = self.scripts();
        scripts.used.remove(&model);
        scripts.set.insert(model, script);
    }

    pub(crate) fn unset(&self, model: &str) {
        self.scripts().set.remove(model);
    }

    pub(crate) fn set_accept(&self, script: Script) {
        let mut scripts = self.scripts();
        scripts.used.remove(ACCEPT);
        scripts.accept = script;
    }

    pub(crate) fn reset(&self) {
        self.scripts().used.clear();
        self.made().clear();
        self.log.reset();
    }

    /// What the next accepted connection meets.
    pub(crate) fn accept(&self) -> Option<Accept> {
        let script = self.scripts().accept.clone();
        self.due(ACCEPT, script).accept()
    }

    /// The script a path segment spells, known before the body is read.
    pub(crate) fn of_path(path: &str) -> Option<Result<Script, ScriptError>> {
        let route = path.split('?').next()?;
        // a model's name is no segment of a path, even if it spells a script
        let end = route::named(route).map_or(route.len(), |name| name.start);
        let said = route
            .get(..end)?
            .split('/')
            .find_map(|segment| segment.strip_prefix("sim:"))?;
        Some(Script::from_network(
            &percent_encoding::percent_decode_str(said).decode_utf8_lossy(),
        ))
    }

    /// Lays out the answer to a request.
    pub(crate) fn answer(&self, mut ask: Ask, complaint: Option<String>) -> Answer {
        if ask.surface == Surface::Responses {
            ask.id = format!("resp_sim_{}_{}", self.port, ask.seq);
        }
        let mut answer = self.choose(ask, complaint);
        if answer.ask.surface == Surface::Responses && answer.status < 300 {
            self.made().keep(&answer.ask);
        }
        answer.sign();
        answer
    }

    fn choose(&self, mut ask: Ask, complaint: Option<String>) -> Answer {
        if let Some((status, body)) = ask.refused.take() {
            return Answer::refused(ask, status, body);
        }
        if let Some(list) = self.list(&ask) {
            return Answer::json(ask, 200, list);
        }
        match self.script(&ask) {
            Err(error) => bad_request(ask, &error.to_string()),
            Ok(script) if !script.knows(ask.surface) => Answer::json(ask, 404, UNKNOWN_PATH),
            Ok(script) if script.is_plain() && complaint.is_some() => {
                bad_request(ask, &complaint.unwrap_or_default())
            }
            Ok(script) if script.accept().is_some() => bad_request(
                ask,
                "this script is about accepting connections: give it to the listener, not to a model",
            ),
            Ok(script) => {
                let known = ask.surface != Surface::Stored || self.made().recall(&mut ask);
                match known || !script.is_plain() {
                    true => script.lay_out(ask),
                    false => Answer::json(ask, 404, NOT_MADE),
                }
            }
        }
    }

    /// The models that can be asked for, where the path wants to know.
    fn list(&self, ask: &Ask) -> Option<String> {
        let path = ask.path.as_str();
        match ask.surface {
            Surface::Other if is_models(path) => Some(self.models(path)),
            Surface::OllamaTags if Self::of_path(path).is_none() => {
                Some(surface::tags(&self.names()))
            }
            _ => None,
        }
    }

    fn script(&self, ask: &Ask) -> Result<Script, ScriptError> {
        let path = ask.path.as_str();
        if let Some(script) = Self::of_path(path) {
            return Ok(self.due(path, script?));
        }
        let set = self.scripts().set.get(&ask.model).cloned();
        let script = match set {
            Some(script) => script,
            None => Script::from_model(&ask.model)?.unwrap_or_default(),
        };
        if script.has("unread") {
            let fix = "it is decided before the model is read: write it into the path, as in /sim:unread/v1/…";
            return Err(ScriptError::new("unread", &ask.model, fix));
        }
        Ok(self.due(&ask.model, script))
    }

    /// The script, or the plain one when `fail=` has been used up.
    fn due(&self, key: &str, script: Script) -> Script {
        let Some(fails) = script.fails() else {
            return script;
        };
        let used = &mut self.scripts().used;
        if used.len() >= MAX_COUNTED {
            used.clear();
        }
        let count = used.entry(key.to_owned()).or_default();
        *count = count.saturating_add(1);
        if *count > fails {
            Script::plain()
        } else {
            script
        }
    }

    /// The models that have a script, and one that has none.
    fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = self.scripts().set.keys().cloned().collect();
        names.push("sim".to_owned());
        names.sort();
        names
    }

    /// `GET /v1/models` and `GET /v1/models/NAME`.
    fn models(&self, path: &str) -> String {
        let model = |id: &str| {
            let id = serde_json::Value::from(id);
            format!(
                r#"{{"id":{id},"object":"model","created":1760000000,"owned_by":"punctual-sim"}}"#
            )
        };
        if let Some((_, name)) = path.split_once("/models/") {
            return model(&percent_encoding::percent_decode_str(name).decode_utf8_lossy());
        }
        let names = self.names();
        let data: Vec<String> = names.iter().map(|name| model(name)).collect();
        format!(r#"{{"object":"list","data":[{}]}}"#, data.join(","))
    }

    /// An answer of the simulator's own interface, if the path is one of it.
    pub(crate) fn admin(&self, method: &str, path: &str, body: &[u8]) -> Answer {
        let (status, body) = admin::answer(self, method, path, body);
        Answer::json(Ask::none(), status, body)
    }
}

const UNKNOWN_PATH: &str = r#"{"error":{"message":"unknown path","type":"invalid_request_error","param":null,"code":"unknown_path"}}"#;
const NOT_MADE: &str = r#"{"error":{"message":"no response of this id was made here, or it was deleted","type":"invalid_request_error","param":null,"code":null}}"#;

/// The name under which connections are counted; no model name contains a line feed.
const ACCEPT: &str = "\naccept";

fn is_models(path: &str) -> bool {
    let route = path.split('?').next().unwrap_or(path);
    let scripted = Host::of_path(path).is_some();
    let verb = route
        .rsplit('/')
        .next()
        .is_some_and(|last| last.contains(':'));
    !scripted && !verb && (route.ends_with("/models") || route.contains("/v1/models/"))
}

fn bad_request(ask: Ask, message: &str) -> Answer {
    let message = serde_json::Value::from(message);
    let body = format!(
        r#"{{"error":{{"message":{message},"type":"invalid_request_error","param":"model","code":"bad_script"}}}}"#
    );
    Answer::json(ask, 400, body)
}
