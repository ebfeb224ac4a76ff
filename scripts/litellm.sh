#!/usr/bin/env bash
# A chain of gateways: installs LiteLLM's proxy from PyPI into target/litellm, runs `punctual serve` in front of
# it and the simulator behind it, and writes docs/runs/litellm.md.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/needs.sh

missing=()
need_rust
need_python
install_missing

run_venv litellm 'litellm[proxy]==1.108.7'
run_punctual
RUN_COMMAND=./scripts/litellm.sh "$RUN_FOLDER/venv/bin/python" scripts/runs/litellm.py
