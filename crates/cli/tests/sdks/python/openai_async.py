"""The asynchronous OpenAI client of Python against the gateway: what differs is how callers leave."""
import asyncio

import openai
from openai import AsyncOpenAI

from checks import BASE_URL, KEY, MESSAGES, LOOKUP_TOOL, Took, Upstream, check, raised_async, run_all

client = AsyncOpenAI(base_url=BASE_URL, api_key=KEY)


@check
async def answers_whole_and_streamed_are_the_same():
    whole = await client.chat.completions.create(model="hello", messages=MESSAGES)
    stream = await client.chat.completions.create(model="hello", messages=MESSAGES, stream=True)
    text = "".join([chunk.choices[0].delta.content or "" async for chunk in stream if chunk.choices])
    assert text == whole.choices[0].message.content
    names = [model.id async for model in client.models.list()]
    assert "hello" in names
    vectors = await client.embeddings.create(model="hello", input="a")
    assert vectors.data[0].embedding


@check
async def streamed_tool_calls_are_put_together():
    async with client.chat.completions.stream(model="tooling", messages=MESSAGES, tools=[LOOKUP_TOOL]) as stream:
        final = await stream.get_final_completion()
    [call] = final.choices[0].message.tool_calls
    assert call.function.name and call.function.arguments, call


@check
async def a_hundred_calls_at_once_are_all_answered():
    calls = [client.chat.completions.create(model="hello", messages=MESSAGES) for _ in range(100)]
    answers = await asyncio.gather(*calls)
    assert len({answer._request_id for answer in answers}) == 100


@check
async def a_spent_deadline_is_one_request_in_all_although_the_sdk_retries():
    upstream = Upstream("silent")
    ask = client.chat.completions.create(
        model="silent", messages=MESSAGES, stream=True, extra_headers={"X-Request-Deadline-Ms": "300"}
    )
    with Took() as took:
        error = await raised_async(openai.InternalServerError, ask)
    assert (error.status_code, error.code) == (504, "request_deadline_exceeded"), error.body
    took.within(0.29, 0.6)
    await asyncio.sleep(1.5)
    assert len(upstream.requests()) == 1


@check
async def heartbeats_are_no_events_to_this_sdk_not_even_behind_an_id():
    for model in ("beating", "beating-ids"):
        stream = await client.chat.completions.create(model=model, messages=MESSAGES, stream=True)
        chunks = [chunk async for chunk in stream]
        assert chunks[-1].choices[0].finish_reason == "stop", chunks


@check
async def a_cancelled_task_ends_the_upstream_of_a_unary_call():
    upstream = Upstream("held")
    task = asyncio.create_task(client.chat.completions.create(model="held", messages=MESSAGES))
    while not upstream.requests():
        await asyncio.sleep(0.01)
    now = upstream.now_us()
    task.cancel()
    try:
        await task
    except asyncio.CancelledError:
        pass
    upstream.closed_within_ms(now)
    assert len(upstream.requests()) == 1


@check
async def a_cancelled_task_ends_the_upstream_of_a_stream():
    upstream = Upstream("endless")
    first = asyncio.Event()

    async def read():
        async with await client.chat.completions.create(model="endless", messages=MESSAGES, stream=True) as stream:
            async for _ in stream:
                first.set()

    task = asyncio.create_task(read())
    await first.wait()
    now = upstream.now_us()
    task.cancel()
    try:
        await task
    except asyncio.CancelledError:
        pass
    upstream.closed_within_ms(now)



run_all()
