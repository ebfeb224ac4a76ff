"""The OpenAI clients of Python on the Responses API, synchronous and asynchronous."""
import asyncio

import openai
from openai import AsyncOpenAI, OpenAI
from pydantic import BaseModel

from checks import BASE_URL, CITY, KEY, Took, Upstream, check, raised, run_all

client = OpenAI(base_url=BASE_URL, api_key=KEY)
once = client.with_options(max_retries=0)
asynchronous = AsyncOpenAI(base_url=BASE_URL, api_key=KEY)
LOOKUP = {"type": "function", "name": "lookup", "description": "Looks a city up.", "parameters": CITY}


class Weather(BaseModel):
    city: str
    degrees: int


def ask(model, through=client, **more):
    return through.responses.create(model="responses-" + model, input="hi", **more)


@check
def a_response_comes_whole_and_streamed_with_usage():
    whole = ask("hello")
    assert whole.status == "completed" and whole.output_text and whole.usage.total_tokens == 10, whole
    events = list(ask("hello", stream=True))
    assert "".join(e.delta for e in events if e.type == "response.output_text.delta") == whole.output_text
    assert events[-1].type == "response.completed" and events[-1].response.output_text == whole.output_text
    with client.responses.stream(model="responses-hello", input="hi") as stream:
        assert stream.get_final_response().output_text == whole.output_text


@check
async def a_response_comes_whole_and_streamed_to_the_asynchronous_client():
    whole = await ask("hello", asynchronous)
    events = [event async for event in await ask("hello", asynchronous, stream=True)]
    assert events[-1].response.output_text == whole.output_text != ""


@check
def a_response_that_is_too_short_is_incomplete_and_no_failure():
    assert ask("short").incomplete_details.reason == "max_output_tokens"
    last = list(ask("short", stream=True))[-1]
    assert last.type == "response.incomplete", last


@check
def a_tool_is_called_and_its_result_goes_back():
    [call] = [item for item in ask("tooling", tools=[LOOKUP]).output if item.type == "function_call"]
    assert (call.name, call.arguments) == ("lookup", '{"city":"Paris"}'), call
    with client.responses.stream(model="responses-tooling", input="hi", tools=[LOOKUP]) as stream:
        final = stream.get_final_response()
    [streamed] = [item for item in final.output if item.type == "function_call"]
    assert streamed.arguments == call.arguments
    upstream = Upstream("hello")
    result = {"type": "function_call_output", "call_id": call.call_id, "output": "7 degrees"}
    again = client.responses.create(
        model="responses-hello", input=[{"role": "user", "content": "hi"}, call, result], tools=[LOOKUP]
    )
    assert again.output_text
    _, asked, told = upstream.body()["input"]
    assert asked["call_id"] == told["call_id"] == call.call_id and told["output"] == "7 degrees", (asked, told)


@check
def reasoning_is_summed_up_before_the_text():
    thought, said = ask("thinking").output
    assert thought.type == "reasoning" and thought.summary[0].text and said.type == "message", thought
    kinds = [event.type for event in ask("thinking", stream=True)]
    summary = kinds.index("response.reasoning_summary_text.delta")
    assert summary < kinds.index("response.output_text.delta"), kinds


@check
def structured_output_is_parsed_whole_and_streamed():
    oslo = Weather(city="Oslo", degrees=7)
    whole = client.responses.parse(model="responses-weather-response", input="hi", text_format=Weather)
    assert whole.output_parsed == oslo, whole
    model = "responses-weather-response-streamed"
    with client.responses.stream(model=model, input="hi", text_format=Weather) as stream:
        assert stream.get_final_response().output_parsed == oslo


@check
def a_response_is_found_cancelled_and_deleted_by_its_id():
    made = ask("hello", background=True)
    found = client.responses.retrieve(made.id)
    assert found.id == made.id and found.output_text, found
    again = ask("hello", previous_response_id=made.id)
    assert again.previous_response_id == made.id
    assert client.responses.cancel(made.id).status == "cancelled"
    client.responses.delete(made.id)
    raised(openai.NotFoundError, lambda: once.responses.retrieve(made.id))


@check
async def a_response_is_found_cancelled_and_deleted_by_the_asynchronous_client():
    made = await ask("hello", asynchronous, background=True)
    assert (await asynchronous.responses.retrieve(made.id)).id == made.id
    assert (await asynchronous.responses.cancel(made.id)).status == "cancelled"
    await asynchronous.responses.delete(made.id)


@check
def errors_are_the_exceptions_their_callers_catch():
    def error(kind, model, through=once):
        return raised(kind, lambda: ask(model, through))

    assert error(openai.BadRequestError, "wrong").status_code == 400
    assert error(openai.RateLimitError, "limited").response.headers["retry-after"]
    assert error(openai.InternalServerError, "broken").code == "server_error"
    assert error(openai.InternalServerError, "overloaded").code == "overloaded"
    assert error(openai.NotFoundError, "no-such-model").code == "model_not_found"
    stranger = once.with_options(api_key="pk-of-nobody-at-all")
    assert error(openai.AuthenticationError, "hello", stranger).code == "invalid_api_key"


@check
def a_spent_deadline_is_one_request_in_all_although_the_sdk_retries():
    for stream in (False, True):
        upstream = Upstream("silent")
        with Took() as took:
            error = raised(
                openai.InternalServerError,
                lambda: ask("silent", stream=stream, extra_headers={"X-Request-Deadline-Ms": "300"}),
            )
        assert (error.status_code, error.code) == (504, "request_deadline_exceeded"), error.body
        took.within(0.29, 0.6)
        assert len(upstream.requests()) == 1


@check
def a_failure_in_a_stream_is_an_exception_and_no_end():
    for model, code in (("breaks-off", "truncated"), ("errs-late", "overloaded")):
        got = []
        error = raised(openai.APIError, lambda: got.extend(ask(model, stream=True)))
        assert error.code == code and "response.completed" not in [event.type for event in got], (error.body, got)


@check
def heartbeats_are_no_events_to_this_sdk():
    with client.responses.with_streaming_response.create(
        model="responses-beating", input="hi", stream=True
    ) as raw:
        beats = sum(line.startswith(":") for line in raw.iter_lines())
    assert beats >= 3, f"{beats} heartbeats"
    kinds = [event.type for event in ask("beating", stream=True)]
    assert kinds[-1] == "response.completed" and all(kind.startswith("response.") for kind in kinds), kinds


@check
def a_stream_that_is_closed_ends_the_upstream():
    upstream = Upstream("endless")
    stream = ask("endless", stream=True)
    for event in stream:
        if event.type == "response.output_text.delta":
            break
    now = upstream.now_us()
    stream.close()
    upstream.closed_within_ms(now)


@check
async def a_cancelled_task_ends_the_upstream():
    upstream = Upstream("held")
    task = asyncio.create_task(ask("held", asynchronous))
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


run_all()
