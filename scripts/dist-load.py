#!/usr/bin/env python3
"""A minute of what a gateway does all day, for a build that learns from it: dist-load.py PUNCTUAL REFEREE_BINARIES.

Small and streamed answers, few and many at a time, other APIs in front of the same upstream, failover, an upstream
that stalls, a caller that leaves, spans exported to a collector. Ends with an error if an ordinary request fails.
"""
import http.client
import http.server
import json
import os
import pathlib
import signal
import subprocess
import sys
import threading
import time
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parent.parent
GATEWAY = ("127.0.0.1", 8110)
URL = "http://%s:%d/v1/chat/completions" % GATEWAY
UPSTREAMS = ["9000", "9001=hang", "9011=hang-b", "9012=hang-c", "9002=err-500", "9003=ok", "9004=stall-5"]


class Collector(http.server.BaseHTTPRequestHandler):
    """Takes what an exporter posts."""

    protocol_version = "HTTP/1.1"

    def do_POST(self):
        self.rfile.read(int(self.headers.get("content-length") or 0))
        self.send_response(200)
        self.send_header("content-length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


def await_port(port: int):
    for _ in range(300):
        try:
            return urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz", timeout=1)
        except urllib.error.HTTPError:
            return None
        except OSError:
            time.sleep(0.1)
    sys.exit(f"nothing listens on port {port}")


def load(tools: str, kind: str, model: str, *options):
    """One run of the load generator."""
    command = [f"{tools}/loadgen", kind, "--url", URL, "--model", model, *map(str, options)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"the load generator failed: {' '.join(command)}\n{done.stderr}")
    return json.loads(done.stdout)


def ask(surface: str, stream: bool, times: int):
    """The same question through another API, over one connection."""
    words = [{"role": "user", "content": "Say hello. " * 20}]
    asked = {"input": words, "store": False} if surface == "responses" else {"messages": words, "max_tokens": 64}
    body = json.dumps({"model": "tok-20-1" if stream else "fast", "stream": stream, **asked})
    connection = http.client.HTTPConnection(*GATEWAY, timeout=20)
    for _ in range(times):
        connection.request("POST", f"/v1/{surface}", body, {"content-type": "application/json"})
        answer = connection.getresponse()
        said = answer.read()
        if answer.status != 200:
            sys.exit(f"/v1/{surface} answered {answer.status}: {said[:300]!r}")


def all_day(tools: str):
    """The load; what is most of it comes first."""
    load(tools, "closed", "fast", "--conns", 16, "--secs", 12, "--warm", 0)
    load(tools, "stream", "tok-100-10", "--conns", 32, "--secs", 12, "--warm", 0)
    load(tools, "open", "fast", "--conns", 32, "--rate", 200, "--secs", 5, "--warm", 0)
    load(tools, "closed", "fo-500", "--conns", 4, "--secs", 3, "--warm", 0)
    for surface in ("messages", "responses"):
        ask(surface, False, 2000)
        ask(surface, True, 100)
    load(tools, "once", "fo-hang", "--timeout-ms", 15000, "--stream")
    load(tools, "once", "stall-5", "--timeout-ms", 15000, "--stream")
    leaving = ["--k", 20, "--after-ms", 100, "--wait-secs", 1, "--stats", "http://127.0.0.1:9000/_stats"]
    load(tools, "disconnect", "tok-600-100", *leaving, "--stream")


def main(punctual: str, tools: str):
    collector = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Collector)
    threading.Thread(target=collector.serve_forever, daemon=True).start()
    environment = dict(
        os.environ,
        OTEL_EXPORTER_OTLP_ENDPOINT=f"http://127.0.0.1:{collector.server_address[1]}",
        OTEL_EXPORTER_OTLP_PROTOCOL="http/protobuf",
    )
    listen = [word for place in UPSTREAMS for word in ("--listen", place)]
    config = ROOT / "benches/referee/configs/punctual/config.yaml"
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    upstream = subprocess.Popen([f"{tools}/mock-upstream", *listen], **quiet)
    gateway = subprocess.Popen([punctual, "serve", "--config", config], env=environment, **quiet)
    try:
        await_port(9000)
        await_port(GATEWAY[1])
        all_day(tools)
    finally:
        # it writes down what ran when it ends by itself
        gateway.send_signal(signal.SIGTERM)
        gateway.wait(60)
        upstream.kill()


main(*sys.argv[1:])
