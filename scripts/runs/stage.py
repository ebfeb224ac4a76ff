"""Processes of a run, started and ended together, and the page that the run writes about itself."""
import datetime
import json
import os
import pathlib
import platform
import queue
import re
import socket
import subprocess
import sys
import threading
import time

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]


def free_port():
    """A port nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def said(*command):
    """What a command prints, on one line."""
    done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=False)
    return " ".join((done.stdout or done.stderr).split())


class Process:
    """A child whose lines are kept; ended when its stage is left."""

    def __init__(self, command, log, env=None):
        self.lines = queue.SimpleQueue()
        self.log = open(log, "w")
        self.child = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env={**os.environ, **(env or {})}
        )
        threading.Thread(target=self._follow, daemon=True).start()

    def _follow(self):
        for line in self.child.stdout:
            self.log.write(line)
            self.log.flush()
            self.lines.put(line)

    def wait_for(self, pattern, within=60):
        """The first group of the first line that matches."""
        end = time.monotonic() + within
        while (left := end - time.monotonic()) > 0:
            try:
                line = self.lines.get(timeout=left)
            except queue.Empty:
                break
            if found := re.search(pattern, line):
                return found.group(1) if found.groups() else line
        raise SystemExit(f"{self.child.args[0]}: nothing matched {pattern!r} within {within} s; see {self.log.name}")

    def log_line(self, request_id):
        """The gateway's own line about a request."""
        return json.loads(self.wait_for(rf'^(\{{.*"request_id":"{request_id}".*)$', 10))

    def end(self):
        self.child.terminate()
        try:
            self.child.wait(10)
        except subprocess.TimeoutExpired:
            self.child.kill()
            self.child.wait()


class Stage:
    """Where a run plays: a folder for its files, and its processes."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.processes = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for process in reversed(self.processes):
            process.end()

    def start(self, name, command, env=None):
        process = Process([str(part) for part in command], self.folder / f"{name}.log", env)
        self.processes.append(process)
        return process

    def gateway(self, punctual, name, config):
        """`punctual serve` on a free port with this configuration; the process and its port."""
        path = self.folder / f"{name}.yaml"
        path.write_text("server: { listen: 127.0.0.1:0, admin: { listen: none } }\n" + config)
        process = self.start(name, [punctual, "serve", "--config", path])
        return process, int(process.wait_for(r"listening on \S*?:(\d+)"))

    def wait_until(self, ready, within=120):
        end = time.monotonic() + within
        while time.monotonic() < end:
            try:
                if ready():
                    return
            except OSError:
                pass
            time.sleep(0.1)
        raise SystemExit(f"not ready within {within} s; see {self.folder}")


class Page:
    """A page of docs/runs, written line by line; promises that did not hold fail the run."""

    def __init__(self, name, title, versions):
        self.path = REPOSITORY / "docs" / "runs" / name
        self.broken = 0
        now = datetime.datetime.now(datetime.timezone.utc)
        cores = os.cpu_count()
        self.lines = [f"# {title}", "", "Written by the run itself. Times are those of one machine; what must hold is said in each line.", ""]
        self.lines += ["| | |", "|---|---|", f"| run | {now:%Y-%m-%d %H:%M} UTC, `{os.environ['RUN_COMMAND']}` |"]
        self.lines += [f"| Punctual | {said(os.environ['PUNCTUAL'], '--version')}, commit {said('git', 'rev-parse', '--short=12', 'HEAD')} |"]
        self.lines += [f"| {what} | {version} |" for what, version in versions.items()]
        self.lines += [f"| machine | {platform.system()} {platform.machine()}, {cores} cores, Python {platform.python_version()} |"]

    def part(self, title):
        self.lines += ([""] if self.lines[-1] else []) + [f"## {title}", ""]
        print(f"\n== {title}", flush=True)

    def text(self, text):
        self.lines += [text, ""]

    def code(self, text, kind=""):
        self.lines += [f"```{kind}", text.rstrip(), "```", ""]

    def note(self, text):
        self.lines.append(f"- {text}")
        print(f"   {text}", flush=True)

    def holds(self, promise, held):
        self.broken += not held
        self.note(f"{'holds' if held else '**does not hold**'}: {promise}")

    def write(self):
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.path.write_text("\n".join(self.lines).rstrip() + "\n")
        print(f"\nwritten: {self.path.relative_to(REPOSITORY)}", flush=True)
        sys.exit(1 if self.broken else 0)
