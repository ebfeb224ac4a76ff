#!/usr/bin/env bash
# Fuzzes what reads bytes from sockets. Usage: ./scripts/fuzz.sh [SECONDS] [TARGET…]: each target, or those named,
# for so long (600 s). What is found lies in fuzz/artifacts; the corpus grows in fuzz/corpus. Seeds are the fixtures
# of punctual-wire, fuzz/seeds, what was found before, and ../shared/captures where that folder exists.
#
# libFuzzer comes with the crate libfuzzer-sys and needs a C++ compiler. The flags are those of `cargo fuzz` without
# a sanitizer: nothing here is unsafe, and what is looked for are panics, wrong output, endless loops and memory.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/needs.sh

missing=()
need_rust
need c++ g++
install_missing

seconds="${1:-600}"
shift $(( $# > 0 ? 1 : 0 ))
all=(sse lines array eventstream peek verdict request answer stream)
targets=("$@")
[ "${#targets[@]}" -gt 0 ] || targets=("${all[@]}")
[[ "$seconds" =~ ^[1-9][0-9]*$ ]] || give_up "the first argument is for how many seconds each target runs, not $seconds"
for target in "${targets[@]}"; do
  [[ " ${all[*]} " == *" $target "* ]] || give_up "there is no target $target; there are: ${all[*]}"
done

host="$(rustc -vV | sed -n 's/^host: //p')"
folder="$(realpath -m "${CARGO_TARGET_DIR:-target}")/fuzz"
flags=(-Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4
  -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table
  -Cllvm-args=-sanitizer-coverage-trace-compares -Ccodegen-units=1
  -Cdebug-assertions -Coverflow-checks --cfg=fuzzing)
say "building into $folder; this takes minutes"
RUSTFLAGS="${flags[*]}" CARGO_TARGET_DIR="$folder" \
  cargo build --quiet --locked --release --target "$host" --manifest-path fuzz/Cargo.toml

# seed TARGET [BYTE] FILE…: copies of these files, behind this byte where a target needs one
seed() {
  local target="$1" byte=""
  shift
  [ "${#1}" -ne 1 ] || { byte="$1"; shift; }
  local file name
  for file in "$@"; do
    [ -f "$file" ] || continue
    name="$byte-$(basename "$(dirname "$file")")-$(basename "$file")"
    { printf '%s' "$byte"; cat "$file"; } > "fuzz/corpus/$target/seed$name"
  done
}

seeds() {
  local target="$1" own=crates/wire/fixtures/openai other=crates/wire/tests/fixtures taken=../shared/captures
  mkdir -p "fuzz/corpus/$target" "fuzz/artifacts/$target"
  seed "$target" fuzz/seeds/"$target"/* fuzz/regressions/"$target"/*
  case "$target" in
    sse) seed sse $own/*.sse $other/*/*.sse $taken/*.sse ;;
    lines) seed lines $other/ollama/* $taken/*.ndjson ;;
    array) seed array $other/gemini/array.json ;;
    eventstream) seed eventstream $other/bedrock/* $taken/*.eventstream ;;
    peek) seed peek fuzz/seeds/request/* ;;
    verdict) seed verdict $own/*.json $own/*.html $taken/*error*.json ;;
    answer)
      seed answer c $own/*.json $taken/*chat*.json
      seed answer r $taken/*responses*.json ;;
    stream)
      seed stream c $own/*.sse $taken/*chat*.sse $taken/*openrouter*.sse
      seed stream r $other/responses/*.sse $taken/*responses*.sse
      seed stream m $other/anthropic/*.sse $taken/*anthropic*.sse
      seed stream g $other/gemini/*.sse $taken/*gemini*.sse
      seed stream a $other/gemini/array.json
      seed stream b $other/bedrock/thoughts-and-tools.txt
      seed stream i $other/bedrock/invoke*.txt
      seed stream o $other/ollama/* $taken/*ollama*.ndjson ;;
  esac
}

# said TARGET NAME: the number behind this name in what libFuzzer told last
said() { sed -nE "s/.*$2:? +([0-9]+).*/\1/p" "fuzz/artifacts/$1.log" | tail -n 1; }

failed=()
for target in "${targets[@]}"; do
  seeds "$target"
  say "$target, $seconds s, told in fuzz/artifacts/$target.log"
  "$folder/$host/release/$target" "fuzz/corpus/$target" -artifact_prefix="fuzz/artifacts/$target/" \
    -dict=fuzz/dictionary.txt -max_total_time="$seconds" -max_len=16384 -timeout=100 -report_slow_units=100 -rss_limit_mb=2048 \
    -print_final_stats=1 -verbosity=1 > "fuzz/artifacts/$target.log" 2>&1 || failed+=("$target")
  printf '%s executions, %s places covered, %s inputs kept, at most %s MiB\n' \
    "$(said "$target" number_of_executed_units)" "$(said "$target" cov)" \
    "$(ls "fuzz/corpus/$target" | wc -l)" "$(said "$target" peak_rss_mb)"
  [[ " ${failed[*]} " != *" $target "* ]] ||
    grep -aE -A 8 "panicked at|^==[0-9]+== ERROR|Test unit written" "fuzz/artifacts/$target.log" | cut -c 1-300
done
[ "${#failed[@]}" -eq 0 ] || give_up "something was found with: ${failed[*]}
One input: $folder/$host/release/TARGET FILE; a smaller one: the same with -minimize_crash=1 -max_total_time=60"
