"""The synchronous Anthropic client of Python before a provider of Anthropic's API."""
import anthropic
from anthropic import Anthropic

from checks import CITY, KEY, MESSAGES, URL, Took, Upstream, check, raised, run_all

client = Anthropic(base_url=URL, api_key=KEY)
once = client.with_options(max_retries=0)
LOOKUP = {"name": "lookup", "description": "Looks a city up.", "input_schema": CITY}


def ask(model, through=client, messages=MESSAGES, **more):
    return through.messages.create(model="anthropic-" + model, messages=messages, max_tokens=100, **more)


def stream_of(model, through=client, **more):
    return through.messages.stream(model="anthropic-" + model, messages=MESSAGES, max_tokens=100, **more)


@check
def models_are_the_routes_this_key_may_use():
    names = [model.id for model in client.models.list()]
    assert "anthropic-hello" in names and "private" not in names, names
    model = client.models.retrieve("anthropic-hello")
    assert (model.id, model.type) == ("anthropic-hello", "model") and model.display_name, model


@check
def a_message_comes_whole_and_streamed_with_usage_and_the_gateways_headers():
    raw = client.messages.with_raw_response.create(model="anthropic-hello", messages=MESSAGES, max_tokens=100)
    whole = raw.parse()
    assert whole.stop_reason == "end_turn" and (whole.usage.input_tokens, whole.usage.output_tokens) == (7, 3), whole
    assert raw.headers["request-id"] == raw.headers["x-request-id"] == whole._request_id, raw.headers
    assert raw.headers["x-punctual-target"] == "anthropic-hello", raw.headers
    with stream_of("hello") as stream:
        text = "".join(stream.text_stream)
        final = stream.get_final_message()
    assert text == final.content[0].text == whole.content[0].text
    assert (final.stop_reason, final.usage.output_tokens) == ("end_turn", 3), final
    assert ask("short").stop_reason == "max_tokens"


@check
def the_provider_is_asked_with_its_own_key_and_the_callers_version():
    upstream = Upstream("hello")
    ask("hello", extra_headers={"anthropic-beta": "a-beta"})
    headers = upstream.headers()
    assert headers["x-api-key"] == "sk-anthropic" and headers["anthropic-beta"] == "a-beta", headers
    assert headers["anthropic-version"] == client.default_headers["anthropic-version"], headers
    assert KEY not in str(headers), headers
    assert upstream.body()["model"] == "hello"


@check
def a_key_may_stand_in_either_header():
    bearer = Anthropic(base_url=URL, auth_token=KEY, api_key=None)
    assert ask("hello", bearer).content[0].text
    stranger = Anthropic(base_url=URL, api_key="sk-ant-of-nobody-at-all")
    error = raised(anthropic.AuthenticationError, lambda: ask("hello", stranger))
    assert error.type == "authentication_error", error.body


@check
def a_tool_is_called_and_its_result_goes_back():
    whole = ask("tooling", tools=[LOOKUP])
    with stream_of("tooling", tools=[LOOKUP]) as stream:
        streamed = stream.get_final_message()
    for message in (whole, streamed):
        [call] = [block for block in message.content if block.type == "tool_use"]
        assert (message.stop_reason, call.name, call.input) == ("tool_use", "lookup", {"city": "Paris"}), message
    upstream = Upstream("hello")
    result = {"type": "tool_result", "tool_use_id": call.id, "content": "7 degrees"}
    turns = [{"role": "assistant", "content": [call]}, {"role": "user", "content": [result]}]
    assert ask("hello", messages=[*MESSAGES, *turns], tools=[LOOKUP]).content
    sent = upstream.body()["messages"]
    assert sent[1]["content"][0]["id"] == sent[2]["content"][0]["tool_use_id"] == call.id, sent


@check
def thoughts_and_their_signatures_come_and_go_back():
    thinking = {"type": "enabled", "budget_tokens": 1024}
    whole = ask("thoughtful-tooling", tools=[LOOKUP], thinking=thinking)
    with stream_of("thoughtful-tooling", tools=[LOOKUP], thinking=thinking) as stream:
        streamed = stream.get_final_message()
    for message in (whole, streamed):
        thought = message.content[0]
        assert thought.type == "thinking" and thought.thinking and thought.signature == "c2lt", message
    upstream = Upstream("thoughtful-tooling")
    call = next(block for block in streamed.content if block.type == "tool_use")
    result = {"type": "tool_result", "tool_use_id": call.id, "content": "7 degrees"}
    turns = [{"role": "assistant", "content": [thought, call]}, {"role": "user", "content": [result]}]
    ask("thoughtful-tooling", messages=[*MESSAGES, *turns], tools=[LOOKUP], thinking=thinking)
    body = upstream.body()
    assert body["messages"][1]["content"][0]["signature"] == "c2lt" and body["thinking"] == thinking, body


@check
def tokens_are_counted():
    counted = client.messages.count_tokens(model="anthropic-hello", messages=MESSAGES)
    assert counted.input_tokens == 7


@check
def errors_are_the_exceptions_their_callers_catch():
    def error(kind, model, through=once):
        return raised(kind, lambda: ask(model, through))

    assert error(anthropic.BadRequestError, "wrong").type == "invalid_request_error"
    limited = error(anthropic.RateLimitError, "limited")
    assert limited.type == "rate_limit_error" and limited.response.headers["retry-after"], limited.body
    overloaded = error(anthropic.ServiceUnavailableError, "overloaded")
    assert (overloaded.status_code, overloaded.type) == (503, "overloaded_error"), overloaded.body
    broken = error(anthropic.InternalServerError, "broken")
    assert (broken.status_code, broken.type) == (502, "api_error") and broken.request_id, broken.body
    assert error(anthropic.NotFoundError, "no-such-model").type == "not_found_error"
    forbidden = raised(
        anthropic.PermissionDeniedError,
        lambda: once.messages.create(model="private", messages=MESSAGES, max_tokens=1),
    )
    assert forbidden.type == "permission_error", forbidden.body


@check
def a_spent_deadline_is_one_request_in_all_although_the_sdk_retries():
    for stream in (False, True):
        upstream = Upstream("silent")
        with Took() as took:
            error = raised(
                anthropic.GatewayTimeoutError,
                lambda: ask("silent", stream=stream, extra_headers={"X-Request-Deadline-Ms": "300"}),
            )
        assert isinstance(error, anthropic.InternalServerError) and error.status_code == 504
        said = error.body["error"]
        assert (error.type, said["code"]) == ("timeout_error", "request_deadline_exceeded"), error.body
        assert said["phase"] == "awaiting_headers" and said["budget_ms"] == 300, error.body
        took.within(0.29, 0.6)
        assert len(upstream.requests()) == 1


@check
def the_sdk_retries_what_says_when_and_not_what_is_broken():
    upstream = Upstream("busy-once")
    assert ask("busy-once").content[0].text
    assert len(upstream.requests()) == 2
    upstream = Upstream("broken")
    raised(anthropic.InternalServerError, lambda: ask("broken"))
    assert len(upstream.requests()) == 1


@check
def a_failure_in_a_stream_is_an_exception_and_no_end():
    for model, family, code in (
        ("breaks-off", "api_error", "truncated"),
        ("errs-inside", "overloaded_error", "overloaded"),
        ("errs-late", "overloaded_error", "overloaded"),
    ):
        got = []
        error = raised(anthropic.APIStatusError, lambda: got.extend(ask(model, stream=True)))
        assert error.type == family and error.body["error"]["code"] == code, error.body
        assert "message_stop" not in [event.type for event in got], got


@check
def pings_are_no_events_to_this_sdk():
    with client.messages.with_streaming_response.create(
        model="anthropic-beating", messages=MESSAGES, max_tokens=100, stream=True
    ) as raw:
        beats = sum(line == "event: ping" for line in raw.iter_lines())
    assert beats >= 4, f"{beats} pings"
    with stream_of("beating") as stream:
        assert "".join(stream.text_stream) and stream.get_final_message().stop_reason == "end_turn"


@check
def a_stream_outlives_the_sdks_timeout_because_of_pings():
    patient = client.with_options(timeout=1.0)
    upstream = Upstream("late")
    with stream_of("late", patient) as stream:
        assert stream.get_final_message().content[0].text
    assert len(upstream.requests()) == 1


@check
def a_stream_that_is_closed_ends_the_upstream():
    upstream = Upstream("endless")
    with stream_of("endless") as stream:
        next(stream.text_stream)
        now = upstream.now_us()
    upstream.closed_within_ms(now)


run_all()
