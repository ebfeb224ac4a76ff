//! What clients promise over real sockets, against the simulator: one table for all thirteen of them, and what
//! only a socket can show.

mod conformance;
mod execution;
mod golden;
mod settings;
mod support;
mod talking;
