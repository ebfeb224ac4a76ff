//! An address at which no TCP connection ever comes up.
//!
//! A connect timeout needs a peer that answers neither with SYN-ACK nor with a reset. Without privileges
//! that is a listener whose queue is full: Linux then drops further SYNs, and a client stays in
//! `connect()` until its own clock ends it.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

use socket2::{Domain, Socket, Type};
use tokio::net::TcpStream;
use tokio::time::timeout;

/// How long a loopback connect that is answered at all may take.
const ANSWERED: Duration = Duration::from_millis(100);
/// Queues are rounded up by the system, but not beyond this.
const MAX_QUEUE: usize = 64;

/// Connections to it stay unanswered for as long as it lives.
pub struct Blackhole {
    addr: SocketAddr,
    _listener: Socket,
    _queued: Vec<TcpStream>,
}

impl Blackhole {
    /// Opens one on a free loopback port; takes about 0.1 s.
    ///
    /// # Errors
    /// What the system says, or `Unsupported` where a full queue still answers.
    pub async fn open() -> io::Result<Self> {
        let listener = Socket::new(Domain::IPV4, Type::STREAM, None)?;
        listener.bind(&SocketAddr::from((Ipv4Addr::LOCALHOST, 0)).into())?;
        listener.listen(0)?;
        let addr = listener
            .local_addr()?
            .as_socket()
            .ok_or(io::ErrorKind::AddrNotAvailable)?;
        let mut queued = Vec::new();
        while queued.len() < MAX_QUEUE {
            match timeout(ANSWERED, TcpStream::connect(addr)).await {
                Ok(connected) => queued.push(connected?),
                Err(_) => {
                    return Ok(Self {
                        addr,
                        _listener: listener,
                        _queued: queued,
                    });
                }
            }
        }
        Err(io::Error::new(
            io::ErrorKind::Unsupported,
            "a full listen queue still answers on this system",
        ))
    }

    /// Where nothing answers.
    pub fn addr(&self) -> SocketAddr {
        self.addr
    }

    /// `http://127.0.0.1:PORT`.
    pub fn url(&self) -> String {
        format!("http://{}", self.addr)
    }
}
