#!/usr/bin/env python3
"""The public API of the library `punctual`, one line an item, against the reviewed list in crates/punctual/public-api.txt.

Without arguments it prints what differs and fails if anything does; with --write it writes the list. What it
reads is rustdoc's JSON, which a stable compiler gives under RUSTC_BOOTSTRAP=1. That makes dependencies look changed, so
they are built in a folder of their own.
"""
import difflib
import json
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
LIST = ROOT / "crates/punctual/public-api.txt"


def document() -> dict:
    env = dict(os.environ, RUSTC_BOOTSTRAP="1", RUSTDOCFLAGS="-Z unstable-options --output-format json --cap-lints allow")
    target = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "public-api"
    command = ["cargo", "doc", "--locked", "-p", "punctual", "--lib", "--no-deps", "--all-features", "--quiet"]
    subprocess.run([*command, "--target-dir", target], check=True, cwd=ROOT, env=env)
    return json.loads((target / "doc/punctual.json").read_text())


class Words:
    """Types and signatures as they are written."""

    def path(self, p: dict) -> str:
        name = (p.get("path") or p.get("name") or "").split("::")[-1]
        args = p.get("args") or {}
        inner = args.get("angle_bracketed")
        if inner:
            each = [self.argument(a) for a in inner["args"]]
            each += [f"{c['name']} = {self.bound(c)}" for c in inner.get("constraints", [])]
            return f"{name}<{', '.join(each)}>" if each else name
        called = args.get("parenthesized")
        if called:
            inputs = ", ".join(self.type(t) for t in called["inputs"])
            output = f" -> {self.type(called['output'])}" if called.get("output") else ""
            return f"{name}({inputs}){output}"
        return name

    def bound(self, constraint: dict) -> str:
        term = constraint["binding"].get("equality", {})
        return self.type(term["type"]) if "type" in term else "_"

    def argument(self, a: dict) -> str:
        if isinstance(a, str):
            return a
        kind, value = next(iter(a.items()))
        return self.type(value) if kind == "type" else str(value.get("expr", value) if isinstance(value, dict) else value)

    def bounds(self, bounds: list) -> str:
        def one(b: dict) -> str:
            if "trait_bound" in b:
                return self.path(b["trait_bound"]["trait"])
            return b.get("outlives", "?")
        return " + ".join(one(b) for b in bounds if b.get("trait_bound", {}).get("modifier") != "maybe")

    def type(self, t: dict) -> str:
        kind, v = next(iter(t.items()))
        if kind in ("primitive", "generic"):
            return v
        if kind == "resolved_path":
            return self.path(v)
        if kind == "borrowed_ref":
            life = f"{v['lifetime']} " if v.get("lifetime") else ""
            return f"&{life}{'mut ' if v['is_mutable'] else ''}{self.type(v['type'])}"
        if kind == "tuple":
            return f"({', '.join(self.type(x) for x in v)})"
        if kind == "slice":
            return f"[{self.type(v)}]"
        if kind == "array":
            return f"[{self.type(v['type'])}; {v['len']}]"
        if kind == "impl_trait":
            return f"impl {self.bounds(v)}"
        if kind == "dyn_trait":
            return "dyn " + " + ".join(self.path(x["trait"]) for x in v["traits"])
        if kind == "qualified_path":
            return f"{self.type(v['self_type'])}::{v['name']}"
        return kind

    def signature(self, f: dict) -> str:
        sig = f["sig"]
        inputs = ", ".join(f"{name}: {self.type(t)}" if name != "self" else self.receiver(t) for name, t in sig["inputs"])
        output = f" -> {self.type(sig['output'])}" if sig.get("output") else ""
        return f"({inputs}){output}"

    def receiver(self, t: dict) -> str:
        text = self.type(t)
        return text.replace("Self", "self") if "Self" in text else f"self: {text}"


class Api:
    def __init__(self, doc: dict):
        self.items, self.words, self.lines = doc["index"], Words(), set()
        self.module(self.items[str(doc["root"])], "punctual")

    def item(self, i) -> dict | None:
        return self.items.get(str(i))

    def module(self, module: dict, path: str) -> None:
        for i in module["inner"]["module"]["items"]:
            item = self.item(i)
            if item and item["visibility"] == "public":
                self.add(item, path)

    def add(self, item: dict, path: str) -> None:
        kind, inner = next(iter(item["inner"].items()))
        name = item["name"]
        if kind == "use":
            used = self.item(inner["id"]) if inner.get("id") is not None else None
            if used is None or used["crate_id"] != 0:
                self.lines.add(f"use {path}::{inner['name']} = {inner['source']}")
            elif "module" in used["inner"]:
                self.lines.add(f"mod {path}::{inner['name']}")
                self.module(used, f"{path}::{inner['name']}")
            else:
                self.add(dict(used, name=inner["name"]), path)
            return
        here = f"{path}::{name}"
        if kind == "module":
            self.lines.add(f"mod {here}")
            self.module(item, here)
        elif kind == "function":
            self.lines.add(f"fn {here}{self.words.signature(inner)}")
        elif kind in ("constant", "assoc_const"):
            self.lines.add(f"const {here}: {self.words.type(inner.get('type', {'primitive': '?'}))}")
        elif kind == "type_alias":
            self.lines.add(f"type {here} = {self.words.type(inner['type'])}")
        elif kind == "trait":
            self.lines.add(f"trait {here}: {self.words.bounds(inner['bounds'])}")
            self.members(inner["items"], here)
        elif kind in ("struct", "enum"):
            open_ended = " #[non_exhaustive]" if any("non_exhaustive" in str(a) for a in item.get("attrs", [])) else ""
            self.lines.add(f"{kind} {here}{open_ended}")
            fields = inner.get("kind", {})
            if isinstance(fields, dict) and "plain" in fields:
                self.fields(fields["plain"]["fields"], here)
            for v in inner.get("variants", []):
                self.variant(self.item(v), here)
            self.implementations(inner["impls"], here)

    def fields(self, ids: list, path: str) -> None:
        for f in filter(None, map(self.item, ids)):
            if f["visibility"] in ("public", "default"):
                self.lines.add(f"field {path}.{f['name']}: {self.words.type(f['inner']['struct_field'])}")

    def variant(self, v: dict, path: str) -> None:
        kind = v["inner"]["variant"]["kind"]
        here = f"{path}::{v['name']}"
        if isinstance(kind, dict) and "tuple" in kind:
            of = [self.words.type(self.item(f)["inner"]["struct_field"]) for f in kind["tuple"] if f is not None]
            self.lines.add(f"variant {here}({', '.join(of)})")
            return
        self.lines.add(f"variant {here}")
        if isinstance(kind, dict) and "struct" in kind:
            self.fields(kind["struct"]["fields"], here)

    def members(self, ids: list, path: str) -> None:
        for member in filter(None, map(self.item, ids)):
            self.add(member, path)

    def implementations(self, ids: list, path: str) -> None:
        for block in filter(None, map(self.item, ids)):
            inner = block["inner"]["impl"]
            if inner["is_synthetic"] or inner["blanket_impl"]:
                continue
            if inner["trait"]:
                self.lines.add(f"impl {self.words.path(inner['trait'])} for {path}")
            else:
                public = [i for i in inner["items"] if (self.item(i) or {}).get("visibility") == "public"]
                self.members(public, path)


def main() -> int:
    lines = sorted(Api(document()).lines)
    if "--write" in sys.argv[1:]:
        LIST.write_text("\n".join(lines) + "\n")
        print(f"{len(lines)} items")
        return 0
    reviewed = LIST.read_text().splitlines()
    differs = list(difflib.unified_diff(reviewed, lines, "reviewed", "now", lineterm="", n=0))
    print("\n".join(differs) or f"the public API is as reviewed: {len(lines)} items")
    return bool(differs)


if __name__ == "__main__":
    sys.exit(main())
