//! `punctual sim`: the misbehaving upstream, and a line for every request that ended.

use crate::{Failure, args, screen, signals::Signals};
use punctual_sim::{Close, Listen, Seen, Sim};
use std::time::Duration;
use tokio::time::Instant;

pub(crate) fn run(args: &args::Sim) -> Result<(), Failure> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|e| Failure::Start(e.to_string()))?;
    runtime.block_on(serve(args))
}

async fn serve(args: &args::Sim) -> Result<(), Failure> {
    let mut signals = Signals::listen()?;
    let sim = start(args).await?;
    if args.json {
        screen::say(&serde_json::json!({ "listening": sim.url() }).to_string());
    } else {
        screen::say(&format!("simulator on {}/v1", sim.url()));
        screen::say(&format!(
            "try: curl {}/v1/chat/completions -d '{{\"model\":\"sim:tokens=5,gap=200ms\",\"stream\":true,\"messages\":[]}}'",
            sim.url()
        ));
        screen::say(
            "words for scripts: punctual sim --help; what was seen, as JSON: GET /_sim/report",
        );
    }
    if args.tls {
        screen::complain(sim.ca_pem());
    }
    let started = Instant::now();
    tokio::select! {
        () = report(&sim, args.json, started) => {}
        () = signals.next() => {}
    }
    sim.shutdown().await;
    Ok(())
}

async fn start(args: &args::Sim) -> Result<Sim, Failure> {
    let mut listen = Listen::at(args.listen);
    if args.tls {
        listen = listen.tls();
    }
    if let Some(script) = &args.accept {
        listen = listen.accept(script.clone());
    }
    let sim = Sim::start(listen)
        .await
        .map_err(|e| Failure::Start(e.to_string()))?;
    for (name, script) in &args.models {
        sim.set(name, script.clone());
    }
    Ok(sim)
}

fn ended(seen: &Seen) -> bool {
    seen.finished.is_some() || seen.closed.is_some()
}

/// Prints each request once, when it has ended.
async fn report(sim: &Sim, json: bool, started: Instant) {
    let mut printed = std::collections::HashSet::new();
    loop {
        let news = |seen: &[Seen]| seen.iter().any(|s| ended(s) && !printed.contains(&s.seq));
        let Ok(seen) = sim.wait(Duration::from_secs(3600), news).await else {
            continue;
        };
        let oldest = seen.first().map_or(0, |s| s.seq);
        printed.retain(|seq| *seq >= oldest);
        for s in seen.iter().filter(|s| ended(s)) {
            if printed.insert(s.seq) {
                screen::say(&if json {
                    sim.json(s).to_string()
                } else {
                    line(s, started)
                });
            }
        }
    }
}

fn line(seen: &Seen, started: Instant) -> String {
    let at = |t: Instant| t.saturating_duration_since(started).as_secs_f64();
    let end = match (seen.finished, seen.closed) {
        (Some(t), _) => format!("finished at {:.3} s", at(t)),
        (None, Some((t, how))) => {
            format!(
                "closed by the caller at {:.3} s ({})",
                at(t),
                how_closed(how)
            )
        }
        (None, None) => "running".to_owned(),
    };
    format!(
        "#{} {} {} {:?}: arrived at {:.3} s, {} pieces, {end}",
        seen.seq,
        seen.method,
        seen.path,
        seen.model,
        at(seen.arrived),
        seen.chunks
    )
}

/// How a socket was closed, in the field's words.
pub(crate) fn how_closed(close: Close) -> &'static str {
    match close {
        Close::Fin => "FIN",
        Close::Rst => "RST",
        Close::StreamReset => "RST_STREAM",
    }
}
