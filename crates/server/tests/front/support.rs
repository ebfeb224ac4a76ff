//! A gateway on a loopback port, its caller, and what was recorded.

mod caller;
mod fake;
pub use caller::{Answer, Caller, chat, request};
pub use fake::{Fake, Sort, Step, content, done, event, failure};

use punctual_core::{
    Engine, Event, Health, LaneLimits, Limits, Observer, Plan, Policy, Registry, Report, Reserve,
    RetryBudget, Target, TargetId,
};
use punctual_server::{
    Gateway, Hooks, Keys, Listeners, Route, Routes, Settings, Shutdown, Snapshot, Trigger,
};
use std::{
    net::SocketAddr,
    sync::{Arc, Mutex},
    time::Duration,
};
use tokio::{net::TcpListener, task::JoinHandle, time::Instant};

/// Longer than anything that is waited for here.
pub const LONG: Duration = Duration::from_secs(5);
/// What scheduling may add to a figure.
pub const SLACK: Duration = Duration::from_millis(60);

pub fn ms(n: u64) -> Duration {
    Duration::from_millis(n)
}

/// Waits until `what` holds.
pub async fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let start = Instant::now();
    while !holds() {
        assert!(start.elapsed() < LONG, "never happened: {what}");
        tokio::time::sleep(ms(1)).await;
    }
}

/// Asserts that an instant `after` some start lies in `figure` and the slack beyond it.
#[track_caller]
pub fn about(after: Duration, figure: Duration) {
    let early = figure.saturating_sub(ms(2));
    assert!(
        (early..=figure + SLACK).contains(&after),
        "{after:?} is not about {figure:?}"
    );
}

#[derive(Default)]
pub struct Recorder(Mutex<Vec<Report>>);

impl Observer for Recorder {
    fn on(&self, report: &Report, event: &Event<'_>) {
        if matches!(event, Event::Finished) {
            self.0.lock().unwrap().push(report.clone());
        }
    }
}

/// What a test may set before the gateway starts.
pub struct Setup {
    pub settings: Settings,
    pub keys: Keys,
    pub admin_keys: Keys,
    pub policy: Policy,
    pub limits: Limits,
    pub lane: LaneLimits,
    pub registry: Arc<Registry>,
    pub route_deadline: Option<Duration>,
}

impl Default for Setup {
    fn default() -> Self {
        Self {
            settings: Settings {
                lame_duck: Duration::ZERO,
                passthrough: vec!["primary".into(), "second".into()],
                ..Settings::default()
            },
            keys: Keys::Open,
            admin_keys: Keys::Open,
            policy: Policy::default(),
            limits: Limits::default(),
            lane: LaneLimits::default(),
            registry: Arc::default(),
            route_deadline: None,
        }
    }
}

pub struct Gate {
    pub address: SocketAddr,
    pub admin: SocketAddr,
    pub gateway: Arc<Gateway<Fake>>,
    pub fake: Fake,
    pub trigger: Trigger,
    pub running: JoinHandle<()>,
    recorder: Arc<Recorder>,
}

impl Gate {
    pub async fn open() -> Self {
        Self::with(Setup::default()).await
    }

    pub async fn with(setup: Setup) -> Self {
        let fake = Fake::default();
        let recorder = Arc::new(Recorder::default());
        let snapshot = snapshot(&setup, fake.clone());
        let metrics =
            Box::new(|s: &punctual_server::Stats| format!("in_flight {}\n# EOF\n", s.in_flight));
        let gateway = Gateway::new(
            snapshot,
            recorder.clone(),
            Hooks {
                metrics,
                ending: Box::new(move || setup.registry.close()),
                ..Hooks::default()
            },
        );
        let bind = || TcpListener::bind("127.0.0.1:0");
        let (public, admin) = (bind().await.unwrap(), bind().await.unwrap());
        let (address, admin_address) = (public.local_addr().unwrap(), admin.local_addr().unwrap());
        let (trigger, shutdown) = Shutdown::new();
        let listeners = Listeners {
            public: vec![public],
            admin: Some(admin),
        };
        let running = {
            let gateway = gateway.clone();
            #[expect(clippy::disallowed_methods, reason = "the process under test")]
            tokio::spawn(async move { gateway.run(listeners, shutdown).await })
        };
        Self {
            address,
            admin: admin_address,
            gateway,
            fake,
            trigger,
            running,
            recorder,
        }
    }

    pub async fn caller(&self) -> Caller {
        Caller::connect(self.address).await
    }

    /// The one request that was recorded so far; waits for it.
    pub async fn report(&self) -> Report {
        self.reports(1).await.pop().unwrap()
    }

    /// All that was recorded, which must be `n` requests.
    pub async fn reports(&self, n: usize) -> Vec<Report> {
        until("the records are closed", || {
            self.recorder.0.lock().unwrap().len() >= n
        })
        .await;
        let all = self.recorder.0.lock().unwrap().clone();
        assert_eq!(all.len(), n, "exactly one outcome for each request");
        all
    }

    /// Everything taken is given back.
    pub async fn idle(&self) {
        let stats = || self.gateway.stats();
        until("nothing is in flight", || {
            stats().in_flight == 0 && stats().memory_bytes == 0
        })
        .await;
        let lane = &self.gateway.current().engine.targets[0].lane;
        assert_eq!((lane.in_use(), lane.depth()), (0, 0));
    }
}

/// What would be loaded; a lane of another width is another lane.
pub fn snapshot(setup: &Setup, fake: Fake) -> Snapshot<Fake> {
    let lane = |name: &str| {
        let id = format!("{name} {}", setup.lane.max_concurrency);
        setup.registry.lane(&id, setup.lane)
    };
    let target = |name: &str| Target {
        name: name.into(),
        limits: setup.limits,
        reserve: Reserve::None,
        replay_timeouts: true,
        allow_empty: false,
        benchable: true,
        lane: lane(name),
        max_queue_wait: None,
        health: Arc::new(Health::default()),
        credential: Arc::new(Health::default()),
        budget: Arc::new(RetryBudget::default()),
    };
    let mut routes = Routes::new();
    let route = |name: &str, id| {
        Arc::new(Route {
            name: name.into(),
            plan: Arc::new(Plan::Target(TargetId(id))),
            policy: Arc::new(setup.policy.clone()),
            deadline: setup.route_deadline,
            owned_by: "tests".into(),
        })
    };
    routes.add("chat", route("chat", 0), "ok".into());
    routes.add("team/chat", route("team", 1), "ok".into());
    routes.add_prefix("sim/", route("sim/*", 0));
    Snapshot {
        engine: Arc::new(Engine {
            targets: vec![target("primary"), target("second")],
            upstream: fake,
        }),
        routes,
        keys: setup.keys.clone(),
        admin_keys: setup.admin_keys.clone(),
        settings: Arc::new(setup.settings.clone()),
    }
}
