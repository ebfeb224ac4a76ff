"""Measures what `translation.sh` says, and writes docs/runs/translation.md."""
import http.client
import json
import os
import pathlib
import platform
import select
import socket
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
BINARY = os.environ["PUNCTUAL_BIN"]
GATEWAY, SIMULATOR = 8120, 9120
TOKENS, ROUNDS, BAR = 100, 5, 2.0
CALLERS = 8

# dialect of the target: what its provider says beside the address
TARGETS = {
    "openai": ("/v1", "api_key: sk-bench"),
    "anthropic": ("/v1", "api_key: sk-bench"),
    "gemini": ("/v1beta", "api_key: sk-bench"),
    "bedrock": ("", "api_key: sk-bench, region: us-east-1"),
    "ollama": ("", ""),
    "responses": ("/v1", "api_key: sk-bench"),
}
ASKED = [{"role": "user", "content": "Count to a hundred."}]
SURFACES = {
    "chat": ("/v1/chat/completions", {"messages": ASKED}),
    "messages": ("/v1/messages", {"messages": ASKED, "max_tokens": 200}),
    "responses": ("/v1/responses", {"input": "Count to a hundred."}),
}
RELAYS = [("chat", "openai"), ("messages", "anthropic"), ("responses", "responses")]
PAIRS = RELAYS + [
    (surface, dialect)
    for surface in SURFACES
    for dialect in TARGETS
    if (surface, dialect) not in RELAYS
]


def configuration():
    lines = [f"server: {{ listen: 127.0.0.1:{GATEWAY} }}", "providers:"]
    for dialect, (path, rest) in TARGETS.items():
        address = f"http://127.0.0.1:{SIMULATOR}{path}"
        lines.append(f'  p-{dialect}: {{ dialect: {dialect}, base_url: "{address}"{", " + rest if rest else ""} }}')
    lines.append("targets:")
    lines += [f'  t-{dialect}: {{ provider: p-{dialect}, model: "sim:tokens:{TOKENS}" }}' for dialect in TARGETS]
    lines.append("routes:")
    lines += [f"  {dialect}: {{ plan: t-{dialect} }}" for dialect in TARGETS]
    return "\n".join(lines) + "\n"


def start(core, *arguments):
    command = ["taskset", "-c", str(core), BINARY, *arguments]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def wait_for(port):
    until = time.monotonic() + 10
    while time.monotonic() < until:
        try:
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=1)
            connection.request("GET", "/")
            connection.getresponse().read()
            return
        except OSError:
            time.sleep(0.05)
    sys.exit(f"nothing listens on {port}")


def cpu(process):
    """Seconds on a core, to the nanosecond, of all threads."""
    tasks = pathlib.Path(f"/proc/{process.pid}/task").iterdir()
    return sum(int((task / "schedstat").read_text().split()[0]) for task in tasks) / 1e9


class Caller:
    """One connection with one request after another on it."""

    def __init__(self, request):
        self.socket = socket.create_connection(("127.0.0.1", GATEWAY))
        self.request, self.left = request, b""

    def ask(self):
        self.left = b""
        self.socket.sendall(self.request)

    def take(self):
        """Whether the answer is whole."""
        got = self.socket.recv(1 << 18)
        if not got:
            sys.exit("the gateway closed a connection")
        if not self.left and not got.startswith(b"HTTP/1.1 200"):
            sys.exit(got.decode(errors="replace"))
        self.left = (self.left + got)[-16:]
        return self.left.endswith(b"\r\n0\r\n\r\n")


def streams(surface, dialect, count):
    path, body = SURFACES[surface]
    body = json.dumps({"model": dialect, "stream": True, **body}).encode()
    head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    callers = {}
    poll = select.poll()
    for _ in range(CALLERS):
        caller = Caller(head.encode() + body)
        callers[caller.socket.fileno()] = caller
        poll.register(caller.socket, select.POLLIN)
        caller.ask()
    asked, done = CALLERS, 0
    while done < count:
        for descriptor, _ in poll.poll(30_000) or sys.exit("no answer for 30 s"):
            if not callers[descriptor].take():
                continue
            done += 1
            if asked < count:
                asked += 1
                callers[descriptor].ask()
    for caller in callers.values():
        caller.socket.close()


def measure(gateway, count):
    best = {}
    for number in range(ROUNDS + 1):
        for pair in PAIRS:
            began = cpu(gateway)
            streams(*pair, count if number else CALLERS * 4)
            used = (cpu(gateway) - began) / count * 1e6
            if number:
                best[pair] = min(used, best.get(pair, used))
    return best


def page(best, count):
    version = subprocess.check_output([BINARY, "--version"], text=True).strip()
    commit = os.environ.get("PUNCTUAL_COMMIT", "not said")
    relay = best["chat", "openai"]
    load = os.getloadavg()[0]
    lines = [
        "# Translated and relayed streams",
        "",
        f"Written by the run itself. µs of CPU of the gateway's process for a stream of {TOKENS} tokens, from the caller's",
        "request to the last byte of its answer: the best of the rounds. What is relayed is judged, what is translated is",
        "read, judged and written.",
        "",
        "| | |",
        "|---|---|",
        f"| run | {time.strftime('%Y-%m-%d %H:%M', time.gmtime())} UTC, `./benches/translation.sh {count}` |",
        f"| Punctual | {version}, commit {commit}, profile `dist` |",
        f"| machine | {platform.system()} {platform.machine()}, {os.cpu_count()} cores; the gateway alone on one of them as far as this run is concerned; load average at the end {load:.1f} |",
        f"| rounds | {ROUNDS} of {count} streams each, {CALLERS} at a time, the pairs in turn |",
        "",
        "| caller | target | | µs a stream | × relayed chat | × its API relayed |",
        "|---|---|---|---|---|---|",
    ]
    own = {surface: best[surface, dialect] for surface, dialect in RELAYS}
    for surface, dialect in PAIRS:
        used = best[surface, dialect]
        how = "relayed" if (surface, dialect) in RELAYS else "translated"
        lines.append(
            f"| {surface} | {dialect} | {how} | {used:.0f} | {used / relay:.2f} | {used / own[surface]:.2f} |"
        )
    over = [f"{s} to {d}" for (s, d), used in best.items() if used > BAR * relay]
    verdict = f"over {BAR:.0f} × the relay of a chat stream: {', '.join(over)}" if over else (
        f"no translated stream costs over {BAR:.0f} × the relay of a chat stream"
    )
    lines += ["", verdict[0].upper() + verdict[1:] + ".", ""]
    return "\n".join(lines), over


def main():
    count = int(sys.argv[1])
    gateway_core = os.environ.get("CPU_GW", "1")
    load_core = os.environ.get("CPU_LOAD", "0")
    os.sched_setaffinity(0, {int(load_core)})
    with tempfile.TemporaryDirectory() as folder:
        config = pathlib.Path(folder) / "punctual.yaml"
        config.write_text(configuration())
        simulator = start(load_core, "sim", "--listen", f"127.0.0.1:{SIMULATOR}")
        gateway = start(gateway_core, "serve", "--config", str(config))
        try:
            wait_for(SIMULATOR)
            wait_for(GATEWAY)
            text, over = page(measure(gateway, count), count)
        finally:
            for process in (gateway, simulator):
                process.kill()
                process.wait()
    (ROOT / "docs/runs/translation.md").write_text(text)
    print(text)
    sys.exit(1 if over else 0)


main()
