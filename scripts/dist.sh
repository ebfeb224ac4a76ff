#!/usr/bin/env bash
# Builds punctual as it is shipped, into target/dist/punctual: the profile `dist` (fat LTO, one codegen unit), its
# code laid out by what ran. An instrumented build serves a minute of mixed load from benches/referee, and the second
# build knows from it what is hot. Takes about ten minutes on two cores, and the ports 8110 and 9000 to 9012.
#
# `cargo build --profile dist -p punctual-cli` gives the same program, a third slower on small requests.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/needs.sh

missing=()
need_rust
need python3 python3
install_missing

host="$(rustc -vV | sed -n 's/^host: //p')"
merge="$(rustc --print sysroot)/lib/rustlib/$host/bin/llvm-profdata"
[ -x "$merge" ] || rustup component add llvm-tools || true
[ -x "$merge" ] || give_up "no llvm-profdata of this compiler: it comes with \`rustup component add llvm-tools\`"

target="$(realpath -m "${CARGO_TARGET_DIR:-target}")"
work="$target/pgo"
built="$work/$host/dist/punctual"

say "load generator"
CARGO_TARGET_DIR="$work/referee" cargo build --quiet --release --locked --manifest-path benches/referee/Cargo.toml

# build FLAG: the program with this flag of the compiler's
build() {
  RUSTFLAGS="$1" CARGO_TARGET_DIR="$work" \
    cargo build --quiet --locked --profile dist --package punctual-cli --target "$host"
}

say "instrumented build"
rm -rf "$work/raw"
build "-Cprofile-generate=$work/raw"

say "load"
scripts/dist-load.py "$built" "$work/referee/release"
"$merge" merge --output "$work/punctual.profdata" "$work"/raw/*.profraw

say "build"
build "-Cprofile-use=$work/punctual.profdata"
mkdir -p "$target/dist"
cp "$built" "$target/dist/punctual"
say "$target/dist/punctual"
