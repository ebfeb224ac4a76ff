//! What the fuzz targets share: the checks, and a mutation that knows JSON.
//!
//! libFuzzer's own mutations break JSON sooner than they reach what lies behind its parser, so half of all
//! mutations are those of [`mutation`]. The checks lie beside this crate in a folder of their own, because
//! `cargo test -p punctual-wire` replays what they once found without building a fuzzer.

#[path = "../checks/mod.rs"]
pub mod checks;
pub mod mutation;

pub use libfuzzer_sys;

/// A target that hands every input to the check of its name.
#[macro_export]
macro_rules! target {
    ($check:ident) => {
        use $crate::libfuzzer_sys::{fuzz_mutator, fuzz_target};
        fuzz_target!(|data: &[u8]| $crate::checks::$check(data));
        fuzz_mutator!(|data: &mut [u8], size: usize, most: usize, seed: u32| {
            $crate::mutation::mutate(data, size, most, seed)
        });
    };
}
