# Sourced by the scripts beside it: what a Debian machine must have, and how it gets there.

say() { printf '\n== %s\n' "$*"; }
give_up() { printf '%s: %s\n' "$(basename "$0")" "$*" >&2; exit 1; }

# Installs the packages named in `missing`, as root or through sudo.
install_missing() {
  [ "${#missing[@]}" -gt 0 ] || return 0
  say "missing, installed with apt: ${missing[*]}"
  command -v apt-get >/dev/null || give_up "no apt-get here; install these by hand and run this again: ${missing[*]}"
  local sudo=()
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || give_up "neither root nor sudo; ask for these packages: ${missing[*]}"
    sudo=(sudo)
  fi
  "${sudo[@]}" apt-get update -qq
  "${sudo[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}"
}

# need COMMAND PACKAGE…: the packages are missing when the command is.
need() {
  command -v "$1" >/dev/null || missing+=("${@:2}")
}

# A compiler for the C parts of dependencies, and Rust itself.
need_rust() {
  need cc gcc libc6-dev
  need curl curl ca-certificates
  command -v cargo >/dev/null || [ ! -f "$HOME/.cargo/env" ] || . "$HOME/.cargo/env"
  command -v cargo >/dev/null || give_up "no cargo; install Rust with rustup (https://rustup.rs) and run this again"
}

# Python with virtual environments.
need_python() {
  python3 -c 'import venv, ensurepip' 2>/dev/null || missing+=(python3 python3-venv)
}

# run_venv NAME PACKAGE…: a virtual environment with these packages in target/NAME, made when it is missing.
run_venv() {
  RUN_FOLDER="$(realpath -m "${CARGO_TARGET_DIR:-target}")/$1"
  export RUN_FOLDER
  [ "$(cat "$RUN_FOLDER/installed" 2>/dev/null)" != "${*:2}" ] || return 0
  say "${*:2}, into $RUN_FOLDER"
  rm -rf "$RUN_FOLDER"
  mkdir -p "$RUN_FOLDER"
  python3 -m venv "$RUN_FOLDER/venv"
  "$RUN_FOLDER/venv/bin/pip" install --quiet --disable-pip-version-check "${@:2}"
  printf '%s' "${*:2}" > "$RUN_FOLDER/installed"
}

# The binary of this tree.
run_punctual() {
  say "punctual"
  cargo build --quiet --locked --package punctual-cli
  PUNCTUAL="$(realpath -m "${CARGO_TARGET_DIR:-target}")/debug/punctual"
  export PUNCTUAL
}
