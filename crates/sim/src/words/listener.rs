//! What connections meet before a request has named a model, and which requests a script is for.
//!
//! The first two, and `rst=accept` and `fin=accept`, are for [`Sim::set_accept`](crate::Sim::set_accept);
//! `unread` is decided before a body is read and so works in a path segment only.

use super::{Word, word};
use crate::answer::Accept;
use crate::script::Form::{Count, Flag};

pub(super) const WORDS: &[Word] = &[
    word(
        "silent-accept",
        Flag,
        "listener: connections are accepted and never read",
        |a, _| {
            a.accept = Some(Accept::Silent);
        },
    ),
    word(
        "silent-tls",
        Flag,
        "listener: the TLS hello is read and never answered",
        |a, _| {
            a.accept = Some(Accept::SilentTls);
        },
    ),
    word(
        "unread",
        Flag,
        "path only: answers without reading the body",
        |a, _| a.unread = true,
    ),
    word(
        "fail",
        Count(None),
        "only the first N requests (or connections) get this script, later ones the plain answer",
        |_, _| {},
    ),
];
