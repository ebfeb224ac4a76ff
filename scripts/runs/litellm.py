"""Punctual in front of LiteLLM in front of the simulator: does the deadline reach the last call of the chain?"""
import os
import pathlib
import time
from importlib.metadata import version

from caller import Call, get, read_stream
from stage import Page, Stage, free_port

PUNCTUAL = os.environ["PUNCTUAL"]
FOLDER = pathlib.Path(os.environ["RUN_FOLDER"])
LITELLM = """model_list:
  - { model_name: hello, litellm_params: { model: openai/hello, api_base: "http://127.0.0.1:SIMULATOR/v1", api_key: sk-sim } }
  - { model_name: held, litellm_params: { model: openai/held, api_base: "http://127.0.0.1:SIMULATOR/v1", api_key: sk-sim } }
  - { model_name: endless, litellm_params: { model: openai/endless, api_base: "http://127.0.0.1:SIMULATOR/v1", api_key: sk-sim } }
general_settings: { master_key: sk-run }
"""
CONFIG = """providers:
  told: { dialect: openai, base_url: "http://127.0.0.1:LITELLM/v1", api_key: sk-run, forward_deadline: [x-litellm-timeout] }
  untold: { dialect: openai, base_url: "http://127.0.0.1:LITELLM/v1", api_key: sk-run }
targets:
  hello: { provider: untold, model: hello }
  held-told: { provider: told, model: held }
  held-untold: { provider: untold, model: held }
  endless-told: { provider: told, model: endless }
  endless-untold: { provider: untold, model: endless }
routes:
  hello: { plan: hello }
  held-told: { plan: held-told }
  held-untold: { plan: held-untold }
  endless-told: { plan: endless-told }
  endless-untold: { plan: endless-untold }
"""
BUDGET = 1.5
WATCHED = 20
HEAD = """| model | mode | `x-litellm-timeout` | the caller got | calls the simulator saw | LiteLLM's call ended, after its start |
|---|---|---|---|---|---|"""


class Upstream:
    """The simulator's requests for one model from here on."""

    def __init__(self, port, model):
        self.port, self.model = port, model
        self.before = len(self._report()["requests"])

    def _report(self):
        return get(self.port, f"/_sim/report?model={self.model}")

    def requests(self):
        return self._report()["requests"][self.before :]

    def ended(self, within):
        """Seconds from each call's arrival to its end; None for those that still ran after `within` seconds."""
        end = time.monotonic() + within
        while time.monotonic() < end:
            if all(r["closed_us"] or r["finished_us"] for r in self.requests()):
                break
            time.sleep(0.02)
        ends = [((r["closed_us"] or r["finished_us"] or 0) - r["arrived_us"]) / 1e6 for r in self.requests()]
        return [at if at > 0 else None for at in ends]


def one(page, port, sim_port, model, stream, told):
    """One request with a deadline; what each side saw, as a row. Whether it ended in time at the simulator."""
    upstream = Upstream(sim_port, model)
    body = {"model": f"{model}-{'told' if told else 'untold'}", "stream": stream, "messages": [{"role": "user", "content": "hi"}]}
    call = Call(port, body, {"X-Request-Deadline-Ms": str(round(BUDGET * 1000))})
    if stream and call.head() == 200:
        got = read_stream(call)
        error = got["error"] or {}
        answer = f"{got['texts']} texts, then `{error.get('code')}` at {got['ended']:.2f} s"
    else:
        error = call.answer()["error"]
        answer = f"{call.head()} `{error.get('code')}` at {call.elapsed():.2f} s"
    knows = error.get("code") == "request_deadline_exceeded" and abs(call.elapsed() - BUDGET) < 0.15
    ends = upstream.ended(WATCHED)
    shown = [f"{at:.2f} s" if at is not None else f"not within {WATCHED} s" for at in ends]
    mode = "stream" if stream else "unary"
    header = "sent" if told else "not sent"
    page.lines.append(f"| {model} | {mode} | {header} | {answer} | {len(ends)} | {', '.join(shown)} |")
    print("  ", page.lines[-1], flush=True)
    return knows, ends


def a_disconnect(page, port, sim_port, model, stream):
    upstream = Upstream(sim_port, model)
    body = {"model": f"{model}-untold", "stream": stream, "messages": [{"role": "user", "content": "hi"}]}
    call = Call(port, body)
    while not upstream.requests():
        time.sleep(0.01)
    time.sleep(0.5)
    call.leave()
    [at] = upstream.ended(WATCHED)
    mode = "streamed" if stream else "unary"
    page.note(f"{mode}, `{model}`: the caller left 0.5 s in; LiteLLM's call {f'ended {at:.2f} s after its start' if at else f'still ran {WATCHED} s later'}")


def elapsed_of(call):
    call.answer()
    return call.elapsed()


def main():
    sim_port, lite_port = free_port(), free_port()
    page = Page("litellm.md", "Punctual in front of LiteLLM", {"LiteLLM": f"`litellm[proxy]` {version('litellm')} from PyPI"})
    with Stage(FOLDER / "run") as stage:
        models = ["--model", "held=silent-headers", "--model", "endless=forever,gap=50ms"]
        stage.start("simulator", [PUNCTUAL, "sim", "--listen", f"127.0.0.1:{sim_port}", *models])
        config = stage.folder / "litellm.yaml"
        config.write_text(LITELLM.replace("SIMULATOR", str(sim_port)))
        quiet = {"LITELLM_LOCAL_MODEL_COST_MAP": "True", "LITELLM_TELEMETRY": "False", "NO_PROXY": "127.0.0.1"}
        command = [FOLDER / "venv/bin/litellm", "--config", config, "--host", "127.0.0.1", "--port", lite_port]
        stage.start("litellm", command, quiet)
        stage.wait_until(lambda: get(lite_port, "/health/liveliness") is not None)
        _, port = stage.gateway(PUNCTUAL, "punctual", CONFIG.replace("LITELLM", str(lite_port)))
        page.part("Configuration")
        page.text("LiteLLM, its defaults otherwise:")
        page.code(LITELLM, "yaml")
        page.text("Punctual:")
        page.code(CONFIG, "yaml")
        page.text("The simulator's `held` never answers; `endless` streams a token each 50 ms for ever.")
        page.part("Warming up")
        for turn in ("first", "second"):
            call = Call(port, {"model": "hello", "messages": [{"role": "user", "content": "hi"}]})
            page.holds(f"the {turn} answer of a fresh LiteLLM came after {1000 * elapsed_of(call):.0f} ms", call.head() == 200)
        page.text("")
        page.text(
            "A fresh LiteLLM is slow to make its first call, and counts `x-litellm-timeout` from when it makes it: "
            "what follows is measured after these."
        )
        page.part(f"A deadline of {BUDGET} s, declared by the caller with `X-Request-Deadline-Ms`")
        page.lines.append(HEAD)
        seen = {(model, stream, told): one(page, port, sim_port, model, stream, told)
                for model, stream in (("held", False), ("held", True), ("endless", True)) for told in (True, False)}
        page.lines.append("")
        page.holds("the caller knows at its deadline in every case", all(knows for knows, _ in seen.values()))
        for stream in (False, True):
            _, ends = seen["held", stream, True]
            page.holds(
                f"{'streamed' if stream else 'unary'}: with the deadline forwarded the last call of the chain is one, and ends with the deadline",
                len(ends) == 1 and ends[0] is not None and ends[0] <= BUDGET + 0.1,
            )
        page.text("")
        page.text(
            "LiteLLM goes on with a call whose caller has left before it began to stream; told the time left, it ends the call itself. "
            "So `forward_deadline: [x-litellm-timeout]` belongs on every target that is a LiteLLM."
        )
        page.part("A caller that leaves, without a deadline")
        a_disconnect(page, port, sim_port, "held", False)
        a_disconnect(page, port, sim_port, "endless", True)
        page.part("Not run")
        page.note("not run: LiteLLM with a database, with its own retries and fallbacks configured, or with real providers behind it")
    page.write()


main()
