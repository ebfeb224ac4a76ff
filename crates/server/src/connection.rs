//! One connection: hyper, and beside it everything hyper does not see.
//!
//! The task waits for the first of: the connection's own end, the caller's leaving (also behind bytes that
//! nobody has read), a head or an idleness that outlasts its clock, a response that stays unread past its
//! deadline, the stages of the shutdown. Whichever comes, dropping the connection drops its requests with
//! all they hold: that is the cancellation.

use crate::{
    front::{self, LetIn},
    gateway::Gateway,
    settings::Settings,
    shutdown::Stage,
};
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use punctual_core::{Upstream, Vigil};
use std::{
    future::poll_fn,
    net::IpAddr,
    pin::{Pin, pin},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
    task::Poll,
};
use tokio::{net::TcpStream, select, time::timeout};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

mod activity;
mod begin;
mod gone;
mod io;
mod linger;
mod turn;
pub(crate) use activity::{Activity, Busy};
use begin::Protocol;
pub(crate) use linger::rest;
pub(crate) use turn::Turn;

/// Head size, in bytes, on both protocols.
const MAX_HEAD: u32 = 64 << 10;
/// Header lines of a head, on both protocols.
pub(crate) const MAX_HEADERS: usize = 100;
/// HTTP/2 streams at the same time on one connection.
const MAX_STREAMS: u32 = 100;
/// Resets that a connection may pile up before it is closed (rapid reset).
const MAX_RESETS: usize = 50;
/// Streams that we reset for errors of the peer's over the whole life of a connection, which behind a proxy
/// is long; hyper's own default.
const MAX_LIFE_RESETS: usize = 1024;
/// Bytes that may wait to be written: on HTTP/2 for each stream.
const MAX_UNSENT: usize = 128 << 10;

/// What the requests of one connection share.
pub(crate) struct Link<U: Upstream> {
    pub(crate) gateway: Arc<Gateway<U>>,
    pub(crate) vigil: Vigil,
    /// Cancelled when running requests must end with an error.
    pub(crate) ending: CancellationToken,
    /// Set by an answer that left the request's body unread.
    pub(crate) unread: AtomicBool,
    pub(crate) peer: IpAddr,
    /// The address the connection came in on.
    pub(crate) local: Option<IpAddr>,
    pub(crate) let_in: LetIn,
    activity: Arc<Activity>,
}

/// Serves one connection to its end.
pub(crate) async fn serve<U: Upstream>(
    gateway: Arc<Gateway<U>>,
    settings: Arc<Settings>,
    socket: TcpStream,
    peer: IpAddr,
) {
    let mut stage = gateway.follow();
    let (half, watched) = socket.into_split();
    let socket: &TcpStream = watched.as_ref();
    let activity = Arc::new(Activity::new(
        settings.header_timeout,
        settings.idle_timeout,
    ));
    let io = io::Io::new(half, activity.clone());
    let begun = select! {
        begun = timeout(settings.header_timeout, begin::begin(io, settings.tls.clone(), &gateway.handshakes)) => begun,
        _ = stage.wait_for(|s| *s == Stage::Over) => return,
    };
    let Ok(Ok((wire, protocol))) = begun else {
        return;
    };
    let link = Arc::new(Link {
        vigil: match protocol {
            Protocol::Http1 => Vigil::in_turn(),
            Protocol::Http2 => Vigil::default(),
        },
        ending: CancellationToken::new(),
        unread: AtomicBool::new(false),
        peer,
        local: socket.local_addr().ok().map(|a| a.ip()),
        let_in: LetIn::default(),
        activity,
        gateway,
    });
    link.activity.begin(protocol);
    let service = {
        let link = link.clone();
        service_fn(move |request| {
            front::handle(link.clone(), link.activity.clone().busy(), request)
        })
    };
    let gone = gone::gone(socket);
    match protocol {
        Protocol::Http1 => {
            let conn = http1().serve_connection(TokioIo::new(wire), service);
            watch(conn, gone, stage, &link).await;
        }
        Protocol::Http2 => {
            let tasks = Streams(link.gateway.tasks.clone());
            let conn = http2(tasks).serve_connection(TokioIo::new(wire), service);
            watch(conn, gone, stage, &link).await;
        }
    }
    if link.unread.load(Relaxed) {
        linger::linger(socket).await;
    }
}

fn http1() -> hyper::server::conn::http1::Builder {
    let mut http = hyper::server::conn::http1::Builder::new();
    // the clocks of head and idleness are ours
    http.header_read_timeout(None)
        .max_headers(MAX_HEADERS)
        .max_header_size(MAX_HEAD as usize)
        .max_buf_size(MAX_UNSENT);
    http
}

fn http2(tasks: Streams) -> hyper::server::conn::http2::Builder<Streams> {
    let mut http = hyper::server::conn::http2::Builder::new(tasks);
    http.timer(TokioTimer::new())
        .max_concurrent_streams(MAX_STREAMS)
        .max_header_list_size(MAX_HEAD)
        .max_pending_accept_reset_streams(MAX_RESETS)
        .max_local_error_reset_streams(MAX_LIFE_RESETS)
        .max_send_buf_size(MAX_UNSENT);
    http
}

/// hyper's tasks for HTTP/2 streams; each ends with its connection.
#[derive(Clone)]
struct Streams(TaskTracker);

impl<F> hyper::rt::Executor<F> for Streams
where
    F: Future<Output = ()> + Send + 'static,
{
    fn execute(&self, stream: F) {
        self.0.spawn(stream);
    }
}

/// A connection that can be told to take no new requests.
trait Graceful: Future<Output = hyper::Result<()>> {
    fn wind_down(self: Pin<&mut Self>);
}

impl<I, S, B> Graceful for hyper::server::conn::http1::Connection<I, S>
where
    Self: Future<Output = hyper::Result<()>>,
    S: hyper::service::HttpService<hyper::body::Incoming, ResBody = B>,
    S::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
    I: hyper::rt::Read + hyper::rt::Write + Unpin,
    B: http_body::Body + 'static,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    fn wind_down(self: Pin<&mut Self>) {
        self.graceful_shutdown();
    }
}

impl<I, S, B, E> Graceful for hyper::server::conn::http2::Connection<I, S, E>
where
    Self: Future<Output = hyper::Result<()>>,
    S: hyper::service::HttpService<hyper::body::Incoming, ResBody = B>,
    S::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
    I: hyper::rt::Read + hyper::rt::Write + Unpin,
    B: http_body::Body + 'static,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
    E: hyper::rt::bounds::Http2ServerConnExec<S::Future, B>,
{
    fn wind_down(self: Pin<&mut Self>) {
        self.graceful_shutdown();
    }
}

/// What ends a turn.
enum Called {
    Over,
    Stage,
}

/// Drives a connection until it ends or must end.
async fn watch<U: Upstream>(
    conn: impl Graceful,
    gone: impl Future<Output = ()>,
    mut stage: tokio::sync::watch::Receiver<Stage>,
    link: &Link<U>,
) {
    let mut conn = pin!(conn);
    let mut gone = pin!(gone);
    let mut vigil = pin!(link.vigil.run(|| link.activity.standing()));
    let mut overdue = pin!(link.activity.overdue());
    let (turn, leaving) = (Turn::default(), Turn::default());
    loop {
        let called = {
            let mut staged = pin!(stage.changed());
            let shutdown = Turn::default();
            // the connection first: what it read and answered in this turn is what the clocks look at
            poll_fn(|cx| {
                let over = turn.take(conn.as_mut(), cx).is_ready()
                    || leaving.take_if_called(gone.as_mut(), cx).is_ready()
                    || vigil.as_mut().poll(cx).is_ready()
                    || overdue.as_mut().poll(cx).is_ready();
                if over {
                    return Poll::Ready(Called::Over);
                }
                let staged = shutdown.take_if_called(staged.as_mut(), cx);
                staged.map(|_| Called::Stage)
            })
            .await
        };
        if let Called::Over = called {
            return;
        }
        let now = *stage.borrow_and_update();
        if now >= Stage::Draining {
            conn.as_mut().wind_down();
        }
        if now >= Stage::Ending {
            link.vigil.drain();
            link.ending.cancel();
        }
        if now == Stage::Over {
            return;
        }
    }
}
