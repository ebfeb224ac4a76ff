#!/usr/bin/env bash
# What the library promises about its build: how many crates it brings, that the engine and the formats need no
# operating system, and that the public API is the reviewed one.
set -euo pipefail
cd "$(dirname "$0")/.."

most=130
count=$(cargo tree --locked -p punctual -e normal,build --no-default-features --prefix none | sed 's/ (\*)$//' | sort -u | wc -l)
echo "minimal features: $count crates of at most $most"
[ "$count" -le "$most" ]

wasm=wasm32-unknown-unknown
if rustup target list --installed | grep -qx "$wasm" || rustup target add "$wasm"; then
  cargo check --locked --quiet --target "$wasm" -p punctual-core -p punctual-wire
  echo "core and wire check for $wasm"
else
  echo "not run: $wasm is not installed and cannot be fetched, core and wire were not checked for it" >&2
fi

scripts/public-api.py
