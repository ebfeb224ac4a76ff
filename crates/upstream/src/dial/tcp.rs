//! Connecting to one of several addresses.
//!
//! The addresses are tried in the resolver's order, each next one after [`STAGGER`] or as soon as the one
//! before it has failed, and the first that connects wins (in the spirit of RFC 8305). The losers are
//! dropped, which closes them.

use super::DialError;
use socket2::{SockRef, TcpKeepalive};
use std::{
    future::{Future, poll_fn},
    io,
    net::SocketAddr,
    pin::{Pin, pin},
    task::Poll,
    time::Duration,
};
use tokio::{
    net::TcpStream,
    time::{Instant, sleep_until},
};

/// Head start of an address over the next.
const STAGGER: Duration = Duration::from_millis(250);
/// A peer that vanished during a long silence is noticed after this and some probes.
const KEEPALIVE: Duration = Duration::from_secs(60);

type Try<'a> = Pin<Box<dyn Future<Output = io::Result<TcpStream>> + Send + 'a>>;

pub(super) async fn connect(addresses: &[SocketAddr]) -> Result<TcpStream, DialError> {
    let stream = match addresses {
        [one] => TcpStream::connect(one).await,
        many => first(many).await,
    };
    let stream = stream.map_err(|e| DialError::tcp(&e))?;
    stream.set_nodelay(true).map_err(|e| DialError::tcp(&e))?;
    // a socket without keep-alive still works
    let _ = SockRef::from(&stream).set_tcp_keepalive(&TcpKeepalive::new().with_time(KEEPALIVE));
    Ok(stream)
}

async fn first(addresses: &[SocketAddr]) -> io::Result<TcpStream> {
    let mut waiting = addresses.iter();
    let mut tries: Vec<Try<'_>> = Vec::new();
    let mut last = io::Error::from(io::ErrorKind::AddrNotAvailable);
    let mut next_at = pin!(sleep_until(Instant::now()));
    poll_fn(|cx| {
        loop {
            let due = tries.is_empty() || next_at.as_mut().poll(cx).is_ready();
            let started = due.then(|| waiting.next()).flatten();
            if let Some(address) = started {
                tries.push(Box::pin(TcpStream::connect(*address)));
                let at = Instant::now().checked_add(STAGGER);
                next_at.as_mut().reset(at.unwrap_or_else(Instant::now));
            }
            let mut failed = false;
            let mut at = 0;
            while let Some(one) = tries.get_mut(at) {
                match one.as_mut().poll(cx) {
                    Poll::Ready(Ok(stream)) => return Poll::Ready(Ok(stream)),
                    Poll::Ready(Err(error)) => {
                        last = error;
                        failed = true;
                        drop(tries.swap_remove(at));
                    }
                    Poll::Pending => at += 1,
                }
            }
            match (waiting.len(), tries.is_empty()) {
                (0, true) => {
                    let none = io::Error::from(io::ErrorKind::AddrNotAvailable);
                    return Poll::Ready(Err(std::mem::replace(&mut last, none)));
                }
                // the one that failed gives its head start to the next
                (1.., _) if failed => next_at.as_mut().reset(Instant::now()),
                // a timer that was set anew has to be polled once
                (1.., _) if started.is_some() => {}
                _ => return Poll::Pending,
            }
        }
    })
    .await
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::net::TcpListener;

    async fn refusing() -> SocketAddr {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        listener.local_addr().unwrap()
    }

    #[tokio::test]
    async fn a_refused_address_passes_its_turn_on_at_once() {
        let good = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let (bad, worse) = (refusing().await, refusing().await);
        let started = Instant::now();
        let stream = connect(&[bad, worse, good.local_addr().unwrap()])
            .await
            .unwrap();
        assert_eq!(stream.peer_addr().unwrap(), good.local_addr().unwrap());
        assert!(started.elapsed() < STAGGER);
    }

    #[tokio::test]
    async fn a_silent_address_has_a_head_start_only() {
        // a listener whose queue is full lets further connections hang
        let full =
            socket2::Socket::new(socket2::Domain::IPV4, socket2::Type::STREAM, None).unwrap();
        full.bind(&"127.0.0.1:0".parse::<SocketAddr>().unwrap().into())
            .unwrap();
        full.listen(0).unwrap();
        let silent = full.local_addr().unwrap().as_socket().unwrap();
        let mut crowd = Vec::new();
        while let Ok(Ok(one)) =
            tokio::time::timeout(Duration::from_millis(100), TcpStream::connect(silent)).await
        {
            crowd.push(one);
        }
        let good = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let started = Instant::now();
        connect(&[silent, good.local_addr().unwrap()])
            .await
            .unwrap();
        let took = started.elapsed();
        assert!(
            took >= STAGGER && took < STAGGER + Duration::from_millis(250),
            "{took:?}"
        );
    }

    #[tokio::test]
    async fn when_all_fail_the_last_error_is_told() {
        let all = [refusing().await, refusing().await];
        let failed = connect(&all).await.unwrap_err();
        assert_eq!(failed, DialError::Tcp(io::ErrorKind::ConnectionRefused));
        assert_eq!(
            connect(&[]).await.unwrap_err(),
            DialError::Tcp(io::ErrorKind::AddrNotAvailable)
        );
    }
}
