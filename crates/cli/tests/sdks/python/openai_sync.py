"""The synchronous OpenAI client of Python against the gateway."""
import base64
import subprocess
import sys
import time

import openai
from openai import OpenAI
from pydantic import BaseModel

from checks import BASE_URL, KEY, MESSAGES, LOOKUP_TOOL, Took, Upstream, check, raised, run_all

client = OpenAI(base_url=BASE_URL, api_key=KEY)
once = client.with_options(max_retries=0)


def text_of(stream):
    return "".join(chunk.choices[0].delta.content or "" for chunk in stream if chunk.choices)


@check
def models_are_the_routes_this_key_may_use():
    names = [model.id for model in client.models.list()]
    assert "hello" in names and "private" not in names, names


@check
def a_chat_completion_comes_with_usage_and_the_gateways_headers():
    raw = client.chat.completions.with_raw_response.create(model="hello", messages=MESSAGES)
    answer = raw.parse()
    assert answer.choices[0].message.content and answer.choices[0].finish_reason == "stop", answer
    assert answer.usage.total_tokens > 0
    assert raw.headers["x-request-id"] and raw.headers["x-punctual-target"] == "hello", raw.headers
    assert raw.headers["x-punctual-attempts"] == "1" and "attempts" in raw.headers["server-timing"], raw.headers
    assert answer._request_id == raw.headers["x-request-id"]


@check
def a_stream_has_the_text_of_the_whole_answer():
    whole = client.chat.completions.create(model="hello", messages=MESSAGES).choices[0].message.content
    stream = client.chat.completions.create(model="hello", messages=MESSAGES, stream=True)
    assert text_of(stream) == whole
    asked = client.chat.completions.create(
        model="hello", messages=MESSAGES, stream=True, stream_options={"include_usage": True}
    )
    chunks = list(asked)
    assert chunks[-1].usage.total_tokens > 0 and not chunks[-1].choices


@check
def tool_calls_are_the_same_whole_and_streamed():
    ask = {"model": "tooling", "messages": MESSAGES, "tools": [LOOKUP_TOOL]}
    whole = client.chat.completions.create(**ask).choices[0]
    assert whole.finish_reason == "tool_calls", whole
    with client.chat.completions.stream(**ask) as stream:
        streamed = stream.get_final_completion().choices[0]
    said = [[(call.function.name, call.function.arguments) for call in c.message.tool_calls] for c in (whole, streamed)]
    assert said[0] == said[1] and len(said[0]) == 1, said


class Weather(BaseModel):
    city: str
    degrees: int


@check
def structured_output_is_parsed_whole_and_streamed():
    whole = client.chat.completions.parse(model="weather", messages=MESSAGES, response_format=Weather)
    assert whole.choices[0].message.parsed == Weather(city="Oslo", degrees=7), whole
    with client.chat.completions.stream(model="weather-streamed", messages=MESSAGES, response_format=Weather) as stream:
        final = stream.get_final_completion()
    assert final.choices[0].message.parsed == Weather(city="Oslo", degrees=7), final


@check
def embeddings_and_legacy_completions_work():
    vectors = client.embeddings.create(model="hello", input=["a", "b"])
    assert vectors.data and len(vectors.data[0].embedding) > 0, vectors
    floats = client.embeddings.create(model="hello", input="a", encoding_format="float")
    assert isinstance(floats.data[0].embedding[0], float)
    whole = client.completions.create(model="hello", prompt="hi").choices[0].text
    pieces = client.completions.create(model="hello", prompt="hi", stream=True)
    assert whole and "".join(p.choices[0].text for p in pieces if p.choices) == whole


@check
def pictures_come_as_they_were_drawn():
    drawn = client.images.generate(model="hello", prompt="a dot", n=2)
    assert len(drawn.data) == 2 and base64.b64decode(drawn.data[0].b64_json).startswith(b"\x89PNG"), drawn


@check
def errors_are_the_exceptions_their_callers_catch():
    def ask(model, through=once):
        return lambda: through.chat.completions.create(model=model, messages=MESSAGES)

    missing = raised(openai.NotFoundError, ask("no-such-model"))
    assert missing.code == "model_not_found" and missing.request_id, missing.body
    stranger = once.with_options(api_key="pk-of-nobody-at-all")
    assert raised(openai.AuthenticationError, ask("hello", stranger)).code == "invalid_api_key"
    assert raised(openai.PermissionDeniedError, ask("private")).code == "model_not_allowed"
    assert raised(openai.BadRequestError, ask("wrong")).status_code == 400
    limited = raised(openai.RateLimitError, ask("limited"))
    assert limited.code == "rate_limited" and limited.response.headers["retry-after"], limited.response.headers
    broken = raised(openai.InternalServerError, ask("broken"))
    assert (broken.status_code, broken.code) == (502, "server_error"), broken.body
    assert raised(openai.BadRequestError, lambda: once.chat.completions.create(model=7, messages=MESSAGES))


@check
def a_spent_deadline_is_one_request_in_all_although_the_sdk_retries():
    for stream in (False, True):
        upstream = Upstream("silent")
        with Took() as took:
            error = raised(
                openai.InternalServerError,
                lambda: client.chat.completions.create(
                    model="silent", messages=MESSAGES, stream=stream, extra_headers={"X-Request-Deadline-Ms": "300"}
                ),
            )
        assert (error.status_code, error.code) == (504, "request_deadline_exceeded"), error.body
        assert error.body["phase"] == "awaiting_headers" and error.body["budget_ms"] == 300, error.body
        took.within(0.29, 0.6)
        time.sleep(1.5)
        assert len(upstream.requests()) == 1, upstream.requests()


@check
def a_broken_provider_is_asked_once_and_not_three_times():
    upstream = Upstream("broken")
    raised(openai.InternalServerError, lambda: client.chat.completions.create(model="broken", messages=MESSAGES))
    assert len(upstream.requests()) == 1


@check
def the_sdk_retries_what_says_when():
    upstream = Upstream("busy-once")
    with Took() as took:
        answer = client.chat.completions.create(model="busy-once", messages=MESSAGES)
    assert answer.choices[0].message.content
    assert len(upstream.requests()) == 2
    took.within(0.3, 3)


@check
def the_sdks_own_timeout_is_answered_before_it_fires():
    upstream = Upstream("silent")
    with Took() as took:
        error = raised(
            openai.InternalServerError,
            lambda: client.chat.completions.create(model="silent", messages=MESSAGES, timeout=1.0),
        )
    assert (error.status_code, error.code) == (504, "request_deadline_exceeded"), error.body
    took.within(0.85, 1.0)
    assert len(upstream.requests()) == 1


@check
def a_stream_outlives_the_sdks_timeout_because_of_heartbeats():
    upstream = Upstream("late")
    with Took() as took:
        stream = client.chat.completions.create(model="late", messages=MESSAGES, stream=True, timeout=1.0)
        text = text_of(stream)
    assert text.count(" ") >= 2, text
    took.within(2.4, 4)
    assert len(upstream.requests()) == 1


@check
def a_timeout_without_heartbeats_is_the_sdks_and_ends_the_upstream():
    upstream = Upstream("silent-unbeaten")
    with Took() as took:
        raised(
            openai.APITimeoutError,
            lambda: once.chat.completions.create(model="silent-unbeaten", messages=MESSAGES, stream=True, timeout=0.5),
        )
    now = upstream.now_us()
    took.within(0.45, 1.5)
    upstream.closed_within_ms(now)


@check
def heartbeats_are_no_events_to_this_sdk_not_even_behind_an_id():
    for model in ("beating", "beating-ids"):
        with client.chat.completions.with_streaming_response.create(
            model=model, messages=MESSAGES, stream=True
        ) as raw:
            beats = sum(line.startswith(":") for line in raw.iter_lines())
        assert beats >= 3, f"{model}: {beats} heartbeats"
        chunks = list(client.chat.completions.create(model=model, messages=MESSAGES, stream=True))
        assert all(chunk.object == "chat.completion.chunk" for chunk in chunks), chunks
        assert chunks[-1].choices[0].finish_reason == "stop", chunks


@check
def an_error_in_a_stream_is_an_exception_and_no_end():
    stream = client.chat.completions.create(model="breaks-off", messages=MESSAGES, stream=True)
    got = []
    error = raised(openai.APIError, lambda: got.extend(stream))
    assert len(got) >= 2 and error.code == "truncated", (got, error.body)


@check
def a_stream_that_is_closed_ends_the_upstream():
    upstream = Upstream("endless")
    stream = client.chat.completions.create(model="endless", messages=MESSAGES, stream=True)
    for number, _ in enumerate(stream):
        if number == 3:
            break
    now = upstream.now_us()
    stream.close()
    upstream.closed_within_ms(now)


@check
def a_killed_process_ends_the_upstream_of_a_unary_call():
    upstream = Upstream("held")
    code = "import sys, openai; openai.OpenAI(base_url=sys.argv[1], api_key=sys.argv[2]).chat.completions.create(" \
        "model='held', messages=[{'role': 'user', 'content': 'hi'}])"
    caller = subprocess.Popen([sys.executable, "-c", code, BASE_URL, KEY])
    while not upstream.requests():
        assert caller.poll() is None, "the caller ended by itself"
        time.sleep(0.01)
    now = upstream.now_us()
    caller.kill()
    caller.wait()
    upstream.closed_within_ms(now)


run_all()
