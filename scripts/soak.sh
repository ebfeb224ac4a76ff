#!/bin/sh
# Aborts 100,000 streams (or as many as the first argument says) in every way there is, and fails unless the
# gateway's permits, connections, file descriptors, threads and memory are back where they were.
# Takes minutes; prints what it had before and after.
set -eu
cd "$(dirname "$0")/.."
PUNCTUAL_SOAK="${1:-100000}" exec cargo test -p punctual-cli --test proofs \
    aborted_streams_leave_nothing_behind -- --nocapture
