"""The asynchronous Anthropic client of Python: what differs is how callers leave."""
import asyncio

import anthropic
from anthropic import AsyncAnthropic

from checks import CITY, KEY, MESSAGES, URL, Took, Upstream, check, raised_async, run_all

client = AsyncAnthropic(base_url=URL, api_key=KEY)
LOOKUP = {"name": "lookup", "description": "Looks a city up.", "input_schema": CITY}


def ask(model, **more):
    return client.messages.create(model="anthropic-" + model, messages=MESSAGES, max_tokens=100, **more)


def stream_of(model, **more):
    return client.messages.stream(model="anthropic-" + model, messages=MESSAGES, max_tokens=100, **more)


async def cancelled(task):
    task.cancel()
    try:
        await task
    except asyncio.CancelledError:
        pass


@check
async def a_message_comes_whole_and_streamed():
    whole = await ask("hello")
    async with stream_of("hello") as stream:
        text = "".join([piece async for piece in stream.text_stream])
    assert text == whole.content[0].text
    assert "anthropic-hello" in [model.id async for model in client.models.list()]
    assert (await client.messages.count_tokens(model="anthropic-hello", messages=MESSAGES)).input_tokens == 7


@check
async def streamed_tool_calls_and_thoughts_are_put_together():
    async with stream_of("thoughtful-tooling", tools=[LOOKUP]) as stream:
        thought, call, *_ = (await stream.get_final_message()).content
    assert thought.thinking and thought.signature == "c2lt", thought
    assert (call.name, call.input) == ("lookup", {"city": "Paris"}), call


@check
async def a_hundred_calls_at_once_are_all_answered():
    answers = await asyncio.gather(*[ask("hello") for _ in range(100)])
    assert len({answer._request_id for answer in answers}) == 100


@check
async def a_spent_deadline_is_one_request_in_all_although_the_sdk_retries():
    upstream = Upstream("silent")
    with Took() as took:
        asked = ask("silent", stream=True, extra_headers={"X-Request-Deadline-Ms": "300"})
        error = await raised_async(anthropic.GatewayTimeoutError, asked)
    assert error.type == "timeout_error", error.body
    took.within(0.29, 0.6)
    assert len(upstream.requests()) == 1


@check
async def a_failure_in_a_stream_is_an_exception_and_no_end():
    async def read(model):
        async for _ in await ask(model, stream=True):
            pass

    for model, family in (("breaks-off", "api_error"), ("errs-late", "overloaded_error")):
        error = await raised_async(anthropic.APIStatusError, read(model))
        assert error.type == family, error.body


@check
async def a_cancelled_task_ends_the_upstream_of_a_unary_call():
    upstream = Upstream("held")
    task = asyncio.create_task(ask("held"))
    while not upstream.requests():
        await asyncio.sleep(0.01)
    now = upstream.now_us()
    await cancelled(task)
    upstream.closed_within_ms(now)
    assert len(upstream.requests()) == 1


@check
async def a_cancelled_task_ends_the_upstream_of_a_stream():
    upstream = Upstream("endless")
    first = asyncio.Event()

    async def read():
        async with stream_of("endless") as stream:
            async for _ in stream.text_stream:
                first.set()

    task = asyncio.create_task(read())
    await first.wait()
    now = upstream.now_us()
    await cancelled(task)
    upstream.closed_within_ms(now)


run_all()
