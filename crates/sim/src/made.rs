//! The responses a simulator has made, so that they can be asked for again.
//!
//! Each id bears the port of its simulator and the number of its request: two simulators never give the
//! same one, and a request for another's response is 404, as with a real provider's. The newest
//! [`MAX_MADE`] are kept.

use std::collections::VecDeque;

use crate::ask::Ask;

const MAX_MADE: usize = 1_000;

struct Response {
    id: String,
    model: String,
    previous: Option<String>,
    status: &'static str,
}

/// The responses of one simulator, oldest first.
#[derive(Default)]
pub(crate) struct Made {
    responses: VecDeque<Response>,
}

impl Made {
    /// Keeps the response that this request made.
    pub(crate) fn keep(&mut self, ask: &Ask) {
        self.responses.push_back(Response {
            id: ask.id.clone(),
            model: ask.model.clone(),
            previous: ask.previous.clone(),
            status: ask.status,
        });
        if self.responses.len() > MAX_MADE {
            self.responses.pop_front();
        }
    }

    /// Fills a request about a response with what is known of it, and does what it asks: `false` if there
    /// is none of this id.
    pub(crate) fn recall(&mut self, ask: &mut Ask) -> bool {
        let Some(at) = self.responses.iter().position(|r| r.id == ask.id) else {
            return false;
        };
        let Some(response) = self.responses.get_mut(at) else {
            return false;
        };
        if ask.method == "POST" {
            response.status = "cancelled";
        }
        ask.model.clone_from(&response.model);
        ask.previous.clone_from(&response.previous);
        ask.status = response.status;
        if ask.method == "DELETE" {
            self.responses.remove(at);
        }
        true
    }

    pub(crate) fn clear(&mut self) {
        self.responses.clear();
    }
}
