//! Serving without a file: what the environment has keys for, and model servers that answer on this machine.

use crate::Failure;
use punctual_config::{Config, Environment, Problem, zero};
use std::{
    net::{SocketAddr, TcpStream},
    time::Duration,
};

/// A local server that does not accept within this is not there.
const PROBE: Duration = Duration::from_millis(200);

/// The configuration, and what there is to say about it.
pub(super) fn config(environment: &Environment) -> Result<(Config, Vec<Problem>), Failure> {
    let answering: Vec<_> = zero::candidates(environment)
        .into_iter()
        .filter(|c| answers(c.address))
        .collect();
    let found = zero::config(environment, &answering);
    tracing::info!("no configuration file: serving what the environment offers");
    found.notes.iter().for_each(|line| tracing::info!("{line}"));
    found.checked.into_result().map_err(super::refuse)
}

fn answers(address: SocketAddr) -> bool {
    TcpStream::connect_timeout(&address, PROBE).is_ok()
}
