#!/usr/bin/env bash
# All tests, on a Debian machine with Rust: installs what is missing, fetches the pinned SDKs, runs everything, and
# looks at what the library promises about its build. Arguments go to `cargo test`, which then is all that runs:
# `./scripts/test.sh -p punctual-cli --test sdks`.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/needs.sh

missing=()
need_rust
need_python
need node nodejs
need npm npm
install_missing

pins=crates/cli/tests/sdks
PUNCTUAL_SDKS="$(realpath -m "${CARGO_TARGET_DIR:-target}")/sdks"
export PUNCTUAL_SDKS
wanted=$(cat "$pins/requirements.txt" "$pins/package-lock.json")
if [ "$(cat "$PUNCTUAL_SDKS/installed" 2>/dev/null)" != "$wanted" ]; then
  say "SDKs of Python and Node, into $PUNCTUAL_SDKS"
  rm -rf "$PUNCTUAL_SDKS"
  mkdir -p "$PUNCTUAL_SDKS"
  python3 -m venv "$PUNCTUAL_SDKS/venv"
  "$PUNCTUAL_SDKS/venv/bin/pip" install --quiet --disable-pip-version-check -r "$pins/requirements.txt"
  cp "$pins/package.json" "$pins/package-lock.json" "$PUNCTUAL_SDKS/"
  npm ci --prefix "$PUNCTUAL_SDKS" --no-audit --no-fund --ignore-scripts --loglevel=error
  printf '%s' "$wanted" > "$PUNCTUAL_SDKS/installed"
fi

say "tests"
if [ "$#" -gt 0 ]; then
  exec cargo test --locked "$@"
fi
# one set of features for everything: another one would build the dependencies anew
cargo test --locked --workspace --all-features
say "the library's build"
./scripts/library.sh
