//! Every configuration key does something that a socket sees.
//!
//! [`row`] has the form of a proof, the other modules have the proofs by section, and the test below walks
//! the schema: a key that no proof names fails it, and a proof of a key that does not exist does too.
#![allow(
    missing_docs,
    unreachable_pub,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests"
)]

#[path = "../support/mod.rs"]
mod support;

mod connection;
mod environment;
mod keys;
mod layers;
mod mutual;
mod routes;
mod row;
mod server;
mod shared;
mod sites;
mod stage;
mod telemetry;
mod top;

use std::collections::BTreeSet;

/// Every key that a proof names.
fn covered() -> BTreeSet<String> {
    let rows = [
        connection::ROWS,
        keys::ROWS,
        routes::ROWS,
        server::ROWS,
        telemetry::ROWS,
        top::ROWS,
    ];
    let named = rows.into_iter().flatten().flat_map(|row| row.covers);
    let others = [
        connection::COVERS,
        sites::COVERS,
        sites::ELSEWHERE,
        top::COVERS,
    ]
    .concat();
    named
        .copied()
        .chain(others)
        .map(str::to_owned)
        .chain(shared::covered())
        .collect()
}

#[test]
fn every_key_of_the_schema_has_a_proof_and_every_proof_has_a_key() {
    let keys: BTreeSet<String> = punctual_config::schema::keys().into_iter().collect();
    let covered = covered();
    // a key that only holds others is proved by theirs
    let holds_proved = |key: &str| {
        let below = format!("{key}.");
        keys.iter().any(|k| k.starts_with(&below))
            && keys.iter().filter(|k| k.starts_with(&below)).all(|k| {
                covered.contains(k) || keys.iter().any(|b| b.starts_with(&format!("{k}.")))
            })
    };
    let missing: Vec<_> = keys
        .iter()
        .filter(|k| !covered.contains(*k) && !holds_proved(k))
        .collect();
    assert!(missing.is_empty(), "keys without a proof: {missing:#?}");
    let strange: Vec<_> = covered.difference(&keys).collect();
    assert!(strange.is_empty(), "proofs of no key: {strange:#?}");
}
