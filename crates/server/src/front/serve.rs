//! Serving a call: the engine's opening, raced with the first heartbeat and with the end of the process.
//!
//! The opening is owned. When the first heartbeat is due it moves into the response body and goes on there,
//! so failover survives the status line.

use super::{
    Visit,
    admit::{Admitted, shutting_down},
};
use crate::answer::{self, Answered};
use punctual_core::{Opening, Pace, Record, Refused, Upstream, open};
use tokio::{select, time::sleep};

pub(super) async fn serve<U: Upstream>(
    visit: &Visit<U>,
    admitted: Admitted,
    mut record: Record,
) -> Answered<U> {
    let Admitted {
        call,
        place,
        heartbeat,
    } = admitted;
    let pace = Pace {
        heartbeat: heartbeat.filter(|_| call.stream),
        stall: call.policy.caller_stall,
    };
    let stream = call.stream;
    let ends_at = call.deadline.at();
    let fate = record.fate();
    let engine = visit.now.engine.clone();
    let mut opening: Opening<U::Pieces> = Box::pin(open(engine, call, record));
    let beat = async {
        match pace.heartbeat {
            Some(every) => sleep(every).await,
            None => std::future::pending().await,
        }
    };
    let answered = select! { biased;
        opened = opening.as_mut() => match opened {
            Ok(open) => answer::served(visit, open, stream, pace),
            Err(Refused { failure, record }) => answer::failed(visit, &failure, record),
        },
        () = visit.link.ending.cancelled() => {
            let failure = shutting_down();
            fate.head_sent(failure.http_status());
            fate.end(failure.clone(), answer::telling(visit));
            drop(opening);
            answer::ended(visit, &failure, &fate)
        }
        () = beat => answer::beating(visit, opening, fate, ends_at, pace),
    };
    answered.holding(place)
}
