#!/usr/bin/env python3
"""Checks the dependency rules of ARCHITECTURE.md against Cargo's own metadata; prints what breaks them."""
import json
import subprocess
import sys

OURS = {
    "core": set(),
    "wire": set(),
    "upstream": {"core", "wire"},
    "config": {"core", "wire"},
    "telemetry": {"core"},
    "server": {"core", "wire", "config", "telemetry"},
    "punctual": {"core", "upstream", "wire"},
    "sim": set(),
}
CORE_MAY_USE = {"bytes", "fastrand", "http", "http-body", "tokio"}
CORE_TOKIO = {"sync", "time"}
WIRE_MAY_NOT_USE = {"tokio", "hyper", "hyper-util", "futures"}


def main() -> int:
    out = subprocess.run(["cargo", "metadata", "--format-version=1", "--no-deps", "--locked"], check=True, capture_output=True, text=True)
    wrong = []
    for package in json.loads(out.stdout)["packages"]:
        name = package["name"].removeprefix("punctual-")
        deps = {d["name"]: d for d in package["dependencies"] if d["kind"] is None}
        ours = {d.removeprefix("punctual-") for d in deps if d.startswith("punctual-")}
        if "cli" in ours:
            wrong.append(f"{name} depends on cli: nobody may")
        if name in OURS and ours - OURS[name]:
            wrong.append(f"{name} may not depend on {sorted(ours - OURS[name])}")
        if name == "core":
            extra = set(deps) - CORE_MAY_USE
            features = set(deps["tokio"]["features"]) - CORE_TOKIO
            if extra or features:
                wrong.append(f"core may not use {sorted(extra)} {sorted(features)}: it is the engine, without I/O")
        if name == "wire" and set(deps) & WIRE_MAY_NOT_USE:
            wrong.append(f"wire may not use {sorted(set(deps) & WIRE_MAY_NOT_USE)}: it has no I/O and no async")
    print("\n".join(wrong) or "dependency rules hold")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
