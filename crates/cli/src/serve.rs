//! `punctual serve`: configuration, telemetry, sockets, signals, and the gateway between them.

mod ending;
mod gauges;
mod observe;
mod reload;
mod zero;

use crate::{Failure, args, build, logs, screen, signals::Signals};
use punctual_config::{Config, Environment, Problem, load};
use punctual_core::Observer;
use punctual_server::{Gateway, Hooks, Listeners, Shutdown, Snapshot, Trigger};
use punctual_telemetry::Telemetry;
use punctual_upstream::Upstreams;
use std::{net::SocketAddr, path::PathBuf, sync::Arc};
use tokio::{net::TcpListener, runtime::Runtime, task::JoinHandle};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

pub(crate) fn run(args: &args::Serve) -> Result<(), Failure> {
    logs::start();
    let mut environment = Environment::of_process();
    if let Some(listen) = args.listen {
        // checked like any other address: one that others can reach asks for keys
        environment.set("PUNCTUAL_LISTEN", &listen.to_string());
    }
    let file = args.file.path().or_else(default_file);
    let (config, problems) = match &file {
        Some(path) => load(path, &environment).into_result().map_err(refuse)?,
        None => zero::config(&environment)?,
    };
    warn(&problems);
    let runtime = runtime(config.server.workers)?;
    let served = runtime.block_on(serve(file, config, environment));
    ending::release(runtime);
    served
}

fn default_file() -> Option<PathBuf> {
    let path = PathBuf::from(args::DEFAULT_FILE);
    path.exists().then_some(path)
}

fn refuse(problems: Vec<Problem>) -> Failure {
    screen::complain(punctual_config::render(&problems).trim_end());
    Failure::Wrong
}

fn warn(problems: &[Problem]) {
    for problem in problems {
        tracing::warn!("{}", one_line(problem));
    }
}

fn one_line(p: &Problem) -> String {
    let fix = p
        .suggestion
        .as_deref()
        .map(|s| format!("; {s}"))
        .unwrap_or_default();
    format!("{}: {}: {}{fix}", p.place(), p.path, p.message)
}

/// A runtime; one worker a core if `workers` says nothing.
pub(crate) fn runtime(workers: Option<usize>) -> Result<Runtime, Failure> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let mut builder = match workers {
        // one core gains nothing from a second thread to hand work to
        None if cores == 1 => tokio::runtime::Builder::new_current_thread(),
        _ => tokio::runtime::Builder::new_multi_thread(),
    };
    if let Some(n) = workers {
        builder.worker_threads(n);
    }
    builder
        .enable_all()
        .build()
        .map_err(|e| Failure::Start(format!("no runtime: {e}")))
}

async fn serve(
    file: Option<PathBuf>,
    config: Config,
    environment: Environment,
) -> Result<(), Failure> {
    // before anything is said: whoever reads that we listen may change the file at once
    let watch = file.and_then(|file| reload::follow(file, &config, environment));
    let telemetry = observe::start(&config)?;
    let lasting = Arc::new(build::Lasting::new());
    let snapshot = build::snapshot(&config, &lasting).map_err(Failure::Start)?;
    let public = bind_all(&config.server.listen, "server.listen").await?;
    let admin = match &config.server.admin {
        Some(admin) => Some(bind(admin.listen, "server.admin.listen").await?),
        None => None,
    };
    let mut signals = Signals::listen()?;
    announce(&config, &public, admin.as_ref());
    let loading = CancellationToken::new();
    let closing = ending::closing(loading.clone(), lasting.clone());
    let hooks = hooks(&telemetry, config.telemetry.metrics, closing);
    let gateway = Gateway::new(snapshot, telemetry.observer(), hooks);
    gauges::register(&telemetry, &gateway, &lasting);
    let (trigger, shutdown) = Shutdown::new();
    let tasks = TaskTracker::new();
    if let Some(watch) = watch {
        tasks.spawn(loading.run_until_cancelled_owned(reload::run(
            watch,
            config.clone(),
            gateway.clone(),
            lasting.clone(),
            telemetry.clone(),
        )));
    }
    let serving = gateway.run(Listeners { public, admin }, shutdown);
    tokio::select! {
        () = serving => {}
        () = ending::obey(&mut signals, &trigger) => {}
    }
    let (flush, close) = (telemetry.flush(ending::FLUSH), lasting.pools.shutdown());
    ending::settle(flush, close, signals.next()).await;
    tracing::info!("ended");
    Ok(())
}

fn hooks(telemetry: &Telemetry, metrics: bool, ending: Box<dyn Fn() + Send + Sync>) -> Hooks {
    let (texts, sampler) = (telemetry.clone(), telemetry.clone());
    let (connections, headers) = (telemetry.clone(), telemetry.clone());
    Hooks {
        metrics: Box::new(move |_| {
            if metrics {
                texts.metrics_text()
            } else {
                String::new()
            }
        }),
        sample: Box::new(move |trace| sampler.sample(trace)),
        connected: Box::new(move || Box::new(connections.connection_opened())),
        ignored: Box::new(move |header| headers.note_ignored_deadline(header)),
        ending,
    }
}

async fn bind_all(addresses: &[SocketAddr], field: &str) -> Result<Vec<TcpListener>, Failure> {
    let mut listeners = Vec::new();
    for address in addresses {
        listeners.push(bind(*address, field).await?);
    }
    Ok(listeners)
}

async fn bind(address: SocketAddr, field: &str) -> Result<TcpListener, Failure> {
    let wrong = |e: std::io::Error| {
        Failure::Start(format!(
            "{field}: {address}: {e}; name another address, or end what listens there"
        ))
    };
    TcpListener::bind(address).await.map_err(wrong)
}

/// Says where it listens and what it serves; tests and people read the same lines.
fn announce(config: &Config, public: &[TcpListener], admin: Option<&TcpListener>) {
    let scheme = if config.server.tls.is_some() {
        "https"
    } else {
        "http"
    };
    for listener in public {
        if let Ok(addr) = listener.local_addr() {
            tracing::info!("listening on {scheme}://{addr}");
        }
    }
    if let Some(Ok(addr)) = admin.map(TcpListener::local_addr) {
        tracing::info!("administration on http://{addr}");
    }
    let names: Vec<&str> = config.routes.iter().map(|r| r.name.as_str()).collect();
    tracing::info!("routes: {}", names.join(", "));
}

/// A gateway running beside something else, for the demo.
pub(crate) struct Running {
    trigger: Trigger,
    task: JoinHandle<()>,
}

impl Running {
    pub(crate) fn start(
        snapshot: Snapshot<Upstreams>,
        observer: Arc<dyn Observer>,
        public: Vec<TcpListener>,
    ) -> Self {
        let gateway = Gateway::new(snapshot, observer, Hooks::default());
        let (trigger, shutdown) = Shutdown::new();
        let task = TaskTracker::new().spawn(async move {
            gateway
                .run(
                    Listeners {
                        public,
                        admin: None,
                    },
                    shutdown,
                )
                .await
        });
        Self { trigger, task }
    }

    /// Ends it at once.
    pub(crate) async fn stop(self) {
        self.trigger.stop();
        let _ = self.task.await;
    }
}
