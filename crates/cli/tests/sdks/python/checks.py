"""Named checks, one line of output each, and what the simulator's sockets saw meanwhile.

The test that starts a script passes where things are: PUNCTUAL_URL, PUNCTUAL_KEY, SIM_URL.
"""
import asyncio
import inspect
import json
import os
import signal
import sys
import time
import traceback
import urllib.request

URL = os.environ["PUNCTUAL_URL"]
BASE_URL = URL + "/v1"
SIM_URL = os.environ["SIM_URL"]
KEY = os.environ["PUNCTUAL_KEY"]
MESSAGES = [{"role": "user", "content": "hi"}]
CITY = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
LOOKUP_TOOL = {"type": "function", "function": {"name": "lookup", "description": "Looks a city up.", "parameters": CITY}}

CHECKS = []


def check(function):
    """Adds a function, which may be a coroutine's, to what `run_all` runs; its name is the promise."""
    CHECKS.append((function.__name__, function, ()))
    return function


def check_each(*cases):
    """As `check`, once for each of these arguments."""

    def add(function):
        CHECKS.extend((f"{function.__name__}: {case}", function, (case,)) for case in cases)
        return function

    return add


def run_all():
    """Runs every check, also after one has failed; ends the process with 0 only when all held."""
    signal.alarm(120)
    loop = asyncio.new_event_loop()
    failed = 0
    for name, function, arguments in CHECKS:
        name = name.replace("_", " ")
        try:
            done = function(*arguments)
            if inspect.iscoroutine(done):
                loop.run_until_complete(done)
            print("ok    ", name, flush=True)
        except Exception:
            failed += 1
            print("WRONG ", name, flush=True)
            traceback.print_exc(limit=4, chain=False, file=sys.stdout)
    print(f"{len(CHECKS) - failed} of {len(CHECKS)} checks held", flush=True)
    sys.exit(1 if failed or not CHECKS else 0)


class Upstream:
    """The requests for one model from here on, as the simulator's sockets saw them."""

    def __init__(self, model):
        self.model = model
        self.before = len(self._report()["requests"])

    def _report(self):
        with urllib.request.urlopen(f"{SIM_URL}/_sim/report?model={self.model}") as answer:
            return json.load(answer)

    def requests(self):
        return self._report()["requests"][self.before :]

    def only(self):
        """The one request there was."""
        [request] = self.requests()
        return request

    def body(self):
        """The JSON of the one request there was."""
        return json.loads(self.only()["body"])

    def headers(self):
        """The header lines of the one request there was, by name."""
        return {name.lower(): value for name, value in self.only()["headers"]}

    def now_us(self):
        return self._report()["now_us"]

    def closed_within_ms(self, since_us, bound=150):
        """Waits for the last request to be closed by its client; its time after `since_us` in ms."""
        give_up = time.monotonic() + 5
        while time.monotonic() < give_up:
            last = self.requests()[-1]
            if last["closed_us"] is not None:
                took = (last["closed_us"] - since_us) / 1000
                assert took <= bound, f"closed after {took} ms"
                return took
            time.sleep(0.005)
        raise AssertionError(f"never closed: {self.requests()}")


class Took:
    """How long a block took, in seconds."""

    def __enter__(self):
        self.start = time.monotonic()
        return self

    def __exit__(self, *_):
        self.seconds = time.monotonic() - self.start

    def within(self, least, most):
        assert least <= self.seconds <= most, f"took {self.seconds:.3f} s, not {least} to {most}"


def raised(kind, call):
    """Calls, and returns the exception of exactly this kind."""
    try:
        call()
    except kind as error:
        assert type(error) is kind, f"{type(error)}: {error}"
        return error
    raise AssertionError(f"no {kind.__name__}")


async def raised_async(kind, call):
    """As `raised`, for a coroutine."""
    try:
        await call
    except kind as error:
        assert type(error) is kind, f"{type(error)}: {error}"
        return error
    raise AssertionError(f"no {kind.__name__}")
