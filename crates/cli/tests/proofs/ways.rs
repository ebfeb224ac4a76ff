//! A caller that leaves is seen upstream whatever lies between: both versions of HTTP on both sides, plain and
//! TLS, an upstream that is silent and one that would go on for ever, unary and streamed.

use crate::{
    gates::Gates,
    ground::{Ground, alone},
    guest::{Asks, Leaves, STREAMS, UNARY, WAYS, Way},
    leaving::{Phase, Ran, Trial, possible, run},
    slots::{Stall, UPS, Up, play, slots},
    support::ms,
    tally::{Tally, cell},
};
use std::sync::Arc;

/// Runs of each of the 64 cells.
const TURNS: usize = 8;

fn name(trial: &Trial) -> String {
    let shape = if trial.asks.streams() {
        "streamed"
    } else {
        "unary"
    };
    let upstream = if trial.stall == Stall::Generating {
        "generating"
    } else {
        "silent"
    };
    cell(&[&upstream, &shape, &trial.way, &trial.up])
}

fn trial(turn: usize, stall: Stall, streams: bool, way: Way, up: Up) -> Trial {
    let surfaces: &[Asks] = if streams { &STREAMS } else { &UNARY };
    let leavings = [
        Leaves::Fin,
        Leaves::Rst,
        Leaves::StreamReset,
        Leaves::FinBehindStrayLine,
    ];
    let leavings: Vec<_> = leavings.into_iter().filter(|l| possible(way, *l)).collect();
    let phase = match (stall, streams) {
        (Stall::Generating, true) => Phase::Streaming,
        (Stall::Generating, false) => Phase::Content,
        _ => Phase::Headers,
    };
    Trial {
        leaves: leavings[turn % leavings.len()],
        asks: surfaces[turn % surfaces.len()],
        phase,
        stall,
        way,
        up,
    }
}

#[test]
fn a_caller_that_leaves_is_seen_upstream_on_every_way() {
    alone(|| async {
        let ground = Ground::new();
        let (slots, config) = slots(8, |target, _| target.to_owned()).await;
        let gates = Arc::new(Gates::open("", &config, &[]));
        let mut trials = Vec::new();
        for turn in 0..TURNS {
            for (stall, streams) in [
                (Stall::Request, false),
                (Stall::Request, true),
                (Stall::Generating, false),
                (Stall::Generating, true),
            ] {
                for way in WAYS {
                    trials.extend(UPS.map(|up| trial(turn, stall, streams, way, up)));
                }
            }
        }
        let mut table = Tally::of("leaving", trials.iter().map(name));
        let ran: Vec<Ran> = play(&slots, trials, move |slot, trial| {
            run(gates.clone(), slot, trial)
        })
        .await;
        ran.iter().for_each(|r| table.ran(&name(&r.trial), r.late));
        table.close(TURNS);
        println!("leaving: canary p99 {:.1?}", ground.late());
        ground.mostly("p99 of upstream closes", table.p99(), ms(10));
        for sim in slots.iter().flat_map(|s| [&s.open, &s.sealed]) {
            let to_the_end = sim.report().into_iter().find(|s| s.finished.is_some());
            assert!(to_the_end.is_none(), "ran to its end: {to_the_end:?}");
        }
    });
}
