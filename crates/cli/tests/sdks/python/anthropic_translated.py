"""The Anthropic client of Python before providers that speak other APIs than it does."""
import anthropic
from anthropic import Anthropic

from checks import CITY, KEY, MESSAGES, URL, Upstream, check_each, raised, run_all

client = Anthropic(base_url=URL, api_key=KEY, max_retries=0)
# a target of chat completions has the model's bare name
OTHERS = ("", "responses-", "gemini-", "bedrock-", "ollama-")
LOOKUP = {"name": "lookup", "description": "Looks a city up.", "input_schema": CITY}
THINKING = {"type": "enabled", "budget_tokens": 1024}


def ask(model, messages=MESSAGES, **more):
    return client.messages.create(model=model, messages=messages, max_tokens=2048, **more)


def final_of(model, **more):
    with client.messages.stream(model=model, messages=MESSAGES, max_tokens=2048, **more) as stream:
        return stream.get_final_message()


def text_of(message):
    return "".join(block.text for block in message.content if block.type == "text")


@check_each(*OTHERS)
def a_message_has_the_text_and_the_usage_whole_and_streamed(of):
    for message in (ask(of + "hello"), final_of(of + "hello")):
        assert len(text_of(message).split()) == 3 and message.stop_reason == "end_turn", message
        assert (message.usage.input_tokens, message.usage.output_tokens) == (7, 3), message.usage
    assert ask(of + "short").stop_reason == "max_tokens"


@check_each(*OTHERS)
def a_tool_is_called_and_its_result_goes_back(of):
    for message in (ask(of + "tooling", tools=[LOOKUP]), final_of(of + "tooling", tools=[LOOKUP])):
        [call] = [block for block in message.content if block.type == "tool_use"]
        assert (message.stop_reason, call.name, call.input) == ("tool_use", "lookup", {"city": "Paris"}), message
    upstream = Upstream("hello")
    result = {"type": "tool_result", "tool_use_id": call.id, "content": "7 degrees"}
    turns = [{"role": "assistant", "content": message.content}, {"role": "user", "content": [result]}]
    assert text_of(ask(of + "hello", [*MESSAGES, *turns], tools=[LOOKUP]))
    sent = upstream.only()["body"]
    assert "7 degrees" in sent and "lookup" in sent and "Paris" in sent, sent


@check_each(*OTHERS)
def reasoning_is_a_block_before_the_text(of):
    for message in (ask(of + "thinking", thinking=THINKING), final_of(of + "thinking", thinking=THINKING)):
        thought, said = message.content
        assert (thought.type, said.type) == ("thinking", "text") and thought.thinking, message
        assert thought.thinking not in said.text, message


@check_each(*OTHERS)
def thoughts_go_back_with_the_call_they_led_to(of):
    message = final_of(of + "thoughtful-tooling", tools=[LOOKUP], thinking=THINKING)
    [call] = [block for block in message.content if block.type == "tool_use"]
    result = {"type": "tool_result", "tool_use_id": call.id, "content": "7 degrees"}
    turns = [{"role": "assistant", "content": message.content}, {"role": "user", "content": [result]}]
    upstream = Upstream("thinking")
    assert text_of(ask(of + "thinking", [*MESSAGES, *turns], tools=[LOOKUP], thinking=THINKING))
    sent = upstream.only()["body"]
    assert "7 degrees" in sent and "Paris" in sent, sent


@check_each(*OTHERS)
def tokens_are_counted_by_nobody_else(of):
    error = raised(
        anthropic.BadRequestError,
        lambda: client.messages.count_tokens(model=of + "hello", messages=MESSAGES),
    )
    assert error.body["error"]["code"] == "unsupported", error.body


@check_each(*OTHERS)
def failures_are_the_exceptions_their_callers_catch(of):
    assert raised(anthropic.BadRequestError, lambda: ask(of + "wrong")).type == "invalid_request_error"
    limited = raised(anthropic.RateLimitError, lambda: ask(of + "limited"))
    assert limited.type == "rate_limit_error" and limited.response.headers["retry-after"], limited.body
    assert raised(anthropic.InternalServerError, lambda: ask(of + "broken")).type == "api_error"
    error = raised(anthropic.APIStatusError, lambda: list(ask(of + "breaks-off", stream=True)))
    assert error.body["error"]["code"] == "truncated", error.body


@check_each(*OTHERS)
def a_stream_that_is_closed_ends_the_upstream(of):
    upstream = Upstream("endless")
    with client.messages.stream(model=of + "endless", messages=MESSAGES, max_tokens=100) as stream:
        next(stream.text_stream)
        now = upstream.now_us()
    upstream.closed_within_ms(now)


run_all()
