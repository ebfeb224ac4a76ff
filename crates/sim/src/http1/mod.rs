//! HTTP/1.1 written by hand on the raw socket.
//!
//! A server library would frame correctly, and what is wanted here is exact control over what is wrong.
//! Only the request head is left to `httparse`.

mod request;
mod wire;

use bytes::BytesMut;
use tokio::io::{AsyncRead, AsyncWrite};

use crate::admin;
use crate::answer::Idle;
use crate::ask::Ask;
use crate::connection::Peer;
use crate::host::Host;
use crate::play::{Played, play};
use crate::seen::{Close, Ended};
use crate::socket::Cut;
use request::{Broken, Request};
use wire::Wire;

/// What follows an exchange.
enum Next {
    Keep,
    Close(Cut),
    Gone(Close),
}

/// Serves requests until either side ends the connection.
pub(crate) async fn serve<R, W>(reader: R, writer: W, first: BytesMut, peer: Peer)
where
    R: AsyncRead + Unpin + Send,
    W: AsyncWrite + Unpin + Send,
{
    let mut wire = Wire::new(reader, writer, first, peer.handle.clone());
    let mut carried = 0;
    loop {
        let next = match wire.request().await {
            Ok(request) => {
                carried += 1;
                exchange(&mut wire, request, carried, &peer).await
            }
            Err(Broken::Gone(close)) => Next::Gone(close),
            Err(Broken::Bad) => {
                // the client may be gone, and is hung up on either way
                let _ = wire.refuse("400 Bad Request").await;
                Next::Close(Cut::Truncate)
            }
        };
        match next {
            Next::Keep => {}
            Next::Gone(close) => return peer.line.ended(Ended::Client(close)),
            Next::Close(cut) => {
                peer.line.ended(Ended::Sim);
                return wire.hang_up(cut).await;
            }
        }
    }
}

async fn exchange<R, W>(
    wire: &mut Wire<R, W>,
    request: Request,
    carried: usize,
    peer: &Peer,
) -> Next
where
    R: AsyncRead + Unpin + Send,
    W: AsyncWrite + Unpin + Send,
{
    let path = request.head.path.clone();
    if path.starts_with(admin::PREFIX) {
        return administer(wire, request, peer).await;
    }
    let arrived = request.head.arrived;
    let entry = peer.line.request(request.head.clone());
    let unread = matches!(Host::of_path(&path), Some(Ok(script)) if script.has("unread"));
    wire.deaf = unread;
    let body = if unread {
        Ok(())
    } else {
        wire.body(&request).await
    };
    let bytes = wire.take_body();
    entry.received(bytes.clone(), body.is_ok() && !unread);
    match body {
        Ok(()) => {}
        Err(Broken::Gone(close)) => {
            entry.closed(close);
            return Next::Gone(close);
        }
        Err(Broken::Bad) => {
            // as above
            let _ = wire.refuse("413 Content Too Large").await;
            return Next::Close(Cut::Truncate);
        }
    }
    let (ask, complaint) = Ask::read(entry.seq(), &request.head, &bytes);
    entry.asked(&ask.model, ask.stream);
    let answer = peer.host.answer(ask, complaint);
    match play(&answer, arrived, wire, Some(&entry)).await {
        Played::Gone(close) => Next::Gone(close),
        Played::Cut(cut) => Next::Close(cut),
        Played::Complete => match answer.idle {
            Idle::Cut(cut) => Next::Close(cut),
            Idle::Stale(cut) => wire
                .next_bytes()
                .await
                .map_or_else(Next::Gone, |()| Next::Close(cut)),
            Idle::Keep if unread || !request.keeps || !answer.keeps(carried) => {
                Next::Close(Cut::Truncate)
            }
            Idle::Keep => Next::Keep,
        },
    }
}

/// A request to the simulator's own interface, which leaves no record.
async fn administer<R, W>(wire: &mut Wire<R, W>, request: Request, peer: &Peer) -> Next
where
    R: AsyncRead + Unpin + Send,
    W: AsyncWrite + Unpin + Send,
{
    if let Err(Broken::Gone(close)) = wire.body(&request).await {
        return Next::Gone(close);
    }
    let body = wire.take_body();
    let answer = peer
        .host
        .admin(&request.head.method, &request.head.path, &body);
    match play(&answer, request.head.arrived, wire, None).await {
        Played::Gone(close) => Next::Gone(close),
        _ if request.keeps => Next::Keep,
        _ => Next::Close(Cut::Truncate),
    }
}
