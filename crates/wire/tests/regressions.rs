//! What the fuzzers start from and what they once found, checked without a fuzzer.
//!
//! The checks are those of the targets in `fuzz/`, included by path: one definition of what must hold.

#![expect(
    unreachable_pub,
    clippy::panic,
    reason = "the checks are a library elsewhere; one that does not hold panics"
)]

#[path = "../../../fuzz/checks/mod.rs"]
mod checks;

use std::{fs, io, panic, path::Path};

type Check = fn(&[u8]);

/// Checks each file below `fuzz/seeds` and `fuzz/regressions` in the folder of this name; how many there were.
fn replayed(name: &str, check: Check) -> io::Result<usize> {
    let mut count = 0;
    for kind in ["seeds", "regressions"] {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../../fuzz")
            .join(kind)
            .join(name);
        if !folder.is_dir() {
            continue;
        }
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            let input = fs::read(&path)?;
            let held = panic::catch_unwind(|| check(&input));
            assert!(held.is_ok(), "{} does not hold", path.display());
            count += 1;
        }
    }
    Ok(count)
}

#[test]
fn whatever_a_fuzzer_found_stays_mended() -> io::Result<()> {
    let targets: [(&str, Check); 9] = [
        ("sse", checks::sse),
        ("lines", checks::lines),
        ("array", checks::array),
        ("eventstream", checks::eventstream),
        ("peek", checks::peek),
        ("verdict", checks::verdict),
        ("request", checks::request),
        ("answer", checks::answer),
        ("stream", checks::stream),
    ];
    for (name, check) in targets {
        let count = replayed(name, check)?;
        let seeded = ["verdict", "request", "answer"].contains(&name);
        assert!(count > 0 || !seeded, "{name} has no inputs");
    }
    Ok(())
}
