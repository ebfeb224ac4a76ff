//! The bounds of histograms, in the unit of each.

/// Whole requests and attempts, to an hour: seconds.
pub(super) const LONG: [f64; 19] = [
    0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 20.0, 30.0, 60.0, 120.0, 300.0,
    600.0, 1800.0, 3600.0,
];

/// Waits, connections, first contents: seconds.
pub(super) const SHORT: [f64; 17] = [
    0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 20.0,
    30.0, 60.0,
];

/// Lateness of our own timers, and gaps between tokens: seconds.
pub(super) const FINE: [f64; 12] = [
    0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 5.0,
];

/// What is held back of a stream: bytes, to the cap of 1 MiB.
pub(super) const BYTES: [f64; 7] = [
    256.0,
    1024.0,
    4096.0,
    16384.0,
    65536.0,
    262_144.0,
    1_048_576.0,
];
