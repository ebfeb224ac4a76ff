//! `punctual demo`: simulator and gateway in one process, a short tour of failures, then a gateway that stays
//! up. Every time that is printed was taken at one of the two sockets in this run.

mod caller;
mod scenes;
mod timeline;

use crate::{
    Failure, args, build,
    screen::say,
    serve::{self, Running},
};
use punctual_config::{Environment, check_text};
use punctual_core::NoObserver;
use punctual_sim::{Listen, Sim};
use scenes::{CONFIG, MODELS, Stage, TITLES};
use std::{net::SocketAddr, sync::Arc};
use tokio::net::TcpListener;

pub(crate) fn run(args: &args::Demo) -> Result<(), Failure> {
    serve::runtime(None)?.block_on(tour(args))
}

async fn tour(args: &args::Demo) -> Result<(), Failure> {
    let start = |e: &dyn std::fmt::Display| Failure::Start(e.to_string());
    let sim = Sim::start(Listen::loopback())
        .await
        .map_err(|e| start(&e))?;
    for (name, script) in MODELS {
        sim.set(name, script.parse().map_err(|e| start(&e))?);
    }
    let (gateway, addr) = gateway(&sim, args.listen).await?;
    say(&format!(
        "gateway on http://{addr}, its upstream simulated on {}\n",
        sim.url()
    ));
    let stage = Stage {
        gateway: addr,
        sim: &sim,
    };
    let mut held = true;
    for (n, title) in TITLES.iter().enumerate() {
        say(&format!("{}. {title}", n + 1));
        held &= scenes::play(&stage, n).await.map_err(|e| start(&e))?;
    }
    let ended = if args.tour_only {
        Ok(())
    } else {
        stay(addr).await
    };
    gateway.stop().await;
    sim.shutdown().await;
    ended?;
    if held { Ok(()) } else { Err(Failure::Wrong) }
}

async fn gateway(sim: &Sim, listen: SocketAddr) -> Result<(Running, SocketAddr), Failure> {
    let text = CONFIG.replace("{upstream}", &sim.url());
    let checked = check_text("demo.yaml", &text, &Environment::default());
    let (config, _) = checked
        .into_result()
        .map_err(|p| Failure::Start(punctual_config::render(&p)))?;
    let lasting = build::Lasting::new();
    let snapshot = build::snapshot(&config, &lasting).map_err(Failure::Start)?;
    let listener = TcpListener::bind(listen)
        .await
        .map_err(|e| Failure::Start(format!("--listen {listen}: {e}; name another address")))?;
    let addr = listener
        .local_addr()
        .map_err(|e| Failure::Start(e.to_string()))?;
    Ok((
        Running::start(snapshot, Arc::new(NoObserver), vec![listener]),
        addr,
    ))
}

/// The tour is over; the gateway is the user's to play with.
async fn stay(addr: SocketAddr) -> Result<(), Failure> {
    say("The gateway stays up; end it with Ctrl-C. Try:");
    say(&format!(
        "  curl -N http://{addr}/v1/chat/completions -H 'content-type: application/json' -d '{{\"model\":\"hello\",\"stream\":true,\"messages\":[{{\"role\":\"user\",\"content\":\"hi\"}}]}}'"
    ));
    say("Other models: three-silent, failover, generating, stalling, busy, limited.");
    tokio::signal::ctrl_c()
        .await
        .map_err(|e| Failure::Start(e.to_string()))
}
