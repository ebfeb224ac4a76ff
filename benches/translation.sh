#!/usr/bin/env bash
# What a translated stream costs the gateway against a relayed one: CPU time of the process, streams of 100 tokens,
# the simulator as the upstream on the other core. Writes docs/runs/translation.md.
# Usage: ./benches/translation.sh [STREAMS]: so many a round (1000).
# PUNCTUAL_BIN and PUNCTUAL_COMMIT: the binary measured and what it was built from with the profile `dist`, instead
# of a build of this tree. CPU_GW, CPU_LOAD: the cores.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/needs.sh

missing=()
need_rust
need python3 python3
install_missing

if [ -z "${PUNCTUAL_BIN:-}" ]; then
  say "punctual"
  cargo build --quiet --locked --profile dist --package punctual-cli
  PUNCTUAL_BIN="$(realpath -m "${CARGO_TARGET_DIR:-target}")/dist/punctual"
  PUNCTUAL_COMMIT="$(git rev-parse --short=12 HEAD)"
fi
export PUNCTUAL_BIN PUNCTUAL_COMMIT
python3 benches/translation.py "${1:-1000}"
