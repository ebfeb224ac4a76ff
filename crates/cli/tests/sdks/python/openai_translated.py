"""The OpenAI client of Python before providers that speak other APIs than it does."""
import json

import openai
from openai import OpenAI

from checks import BASE_URL, CITY, KEY, LOOKUP_TOOL, MESSAGES, Upstream, check_each, raised, run_all

client = OpenAI(base_url=BASE_URL, api_key=KEY, max_retries=0)
CHAT = ("responses-", "anthropic-", "gemini-", "bedrock-", "ollama-")
RESPONSES = ("", "anthropic-", "gemini-", "bedrock-", "ollama-")
ARGUMENTS = {"city": "Paris"}
LOOKUP = {"type": "function", "name": "lookup", "description": "Looks a city up.", "parameters": CITY}


def chat(model, messages=MESSAGES, **more):
    return client.chat.completions.create(model=model, messages=messages, **more)


def final_of(model, **more):
    with client.chat.completions.stream(model=model, messages=MESSAGES, **more) as stream:
        return stream.get_final_completion()


def respond(model, given="hi", **more):
    return client.responses.create(model=model, input=given, **more)


def final_response(model, **more):
    with client.responses.stream(model=model, input="hi", **more) as stream:
        return stream.get_final_response()


@check_each(*CHAT)
def a_completion_has_the_text_and_the_usage_whole_and_streamed(of):
    whole = chat(of + "hello")
    assert whole.choices[0].finish_reason == "stop" and len(whole.choices[0].message.content.split()) == 3, whole
    assert (whole.usage.prompt_tokens, whole.usage.completion_tokens) == (7, 3), whole.usage
    streamed = final_of(of + "hello", stream_options={"include_usage": True})
    assert streamed.choices[0].message.content == whole.choices[0].message.content
    assert streamed.usage.total_tokens == 10, streamed.usage
    assert chat(of + "short").choices[0].finish_reason == "length"


@check_each(*CHAT)
def a_tool_of_a_completion_is_called_and_its_result_goes_back(of):
    whole = chat(of + "tooling", tools=[LOOKUP_TOOL]).choices[0]
    streamed = final_of(of + "tooling", tools=[LOOKUP_TOOL]).choices[0]
    for choice in (whole, streamed):
        [call] = choice.message.tool_calls
        assert choice.finish_reason == "tool_calls" and call.function.name == "lookup", choice
        assert json.loads(call.function.arguments) == ARGUMENTS and call.id, call
    upstream = Upstream("hello")
    said = whole.message.model_dump(exclude_none=True)
    result = {"role": "tool", "tool_call_id": whole.message.tool_calls[0].id, "content": "7 degrees"}
    answer = chat(of + "hello", [*MESSAGES, said, result], tools=[LOOKUP_TOOL])
    assert answer.choices[0].message.content
    sent = upstream.only()["body"]
    assert "7 degrees" in sent and "lookup" in sent and "Paris" in sent, sent


@check_each(*CHAT)
def reasoning_stands_beside_the_text_of_a_completion(of):
    whole = chat(of + "thinking").choices[0].message
    assert whole.reasoning_content and whole.content and whole.reasoning_content not in whole.content, whole
    deltas = [chunk.choices[0].delta for chunk in chat(of + "thinking", stream=True) if chunk.choices]
    thoughts = "".join(getattr(delta, "reasoning_content", None) or "" for delta in deltas)
    assert thoughts == whole.reasoning_content, (thoughts, whole.reasoning_content)
    assert "".join(delta.content or "" for delta in deltas) == whole.content


@check_each(*CHAT)
def the_schema_of_structured_output_reaches_the_provider(of):
    schema = {"type": "object", "properties": {"degrees": {"type": "integer"}}, "additionalProperties": False}
    asked = {"type": "json_schema", "json_schema": {"name": "weather", "schema": schema, "strict": True}}
    upstream = Upstream("hello")
    assert chat(of + "hello", response_format=asked).choices
    assert "degrees" in upstream.only()["body"], upstream.only()


@check_each("gemini-", "ollama-")
def texts_become_vectors(of):
    vectors = client.embeddings.create(model=of + "hello", input=["a", "b"])
    assert [vector.embedding for vector in vectors.data] == [[0.25, -0.5, 0.125]] * 2, vectors
    whole = client.embeddings.create(model=of + "hello", input="a", encoding_format="float")
    assert whole.data[0].embedding == [0.25, -0.5, 0.125], whole


@check_each(*CHAT)
def failures_of_a_completion_are_the_exceptions_their_callers_catch(of):
    assert raised(openai.BadRequestError, lambda: chat(of + "wrong")).status_code == 400
    assert raised(openai.RateLimitError, lambda: chat(of + "limited")).code == "rate_limited"
    assert raised(openai.InternalServerError, lambda: chat(of + "broken")).code == "server_error"
    got = []
    error = raised(openai.APIError, lambda: got.extend(chat(of + "breaks-off", stream=True)))
    assert got and error.code == "truncated", error.body


@check_each(*CHAT)
def a_completion_that_is_closed_ends_the_upstream(of):
    upstream = Upstream("endless")
    stream = chat(of + "endless", stream=True)
    next(chunk for chunk in stream if chunk.choices and chunk.choices[0].delta.content)
    now = upstream.now_us()
    stream.close()
    upstream.closed_within_ms(now)


@check_each(*RESPONSES)
def a_response_has_the_text_and_the_usage_whole_and_streamed(of):
    whole = respond(of + "hello")
    assert whole.status == "completed" and len(whole.output_text.split()) == 3, whole
    assert (whole.usage.input_tokens, whole.usage.output_tokens) == (7, 3), whole.usage
    streamed = final_response(of + "hello")
    assert streamed.output_text == whole.output_text and streamed.usage.total_tokens == 10, streamed
    assert respond(of + "short").incomplete_details.reason == "max_output_tokens"


@check_each(*RESPONSES)
def a_tool_of_a_response_is_called_and_its_result_goes_back(of):
    for made in (respond(of + "tooling", tools=[LOOKUP]), final_response(of + "tooling", tools=[LOOKUP])):
        [call] = [item for item in made.output if item.type == "function_call"]
        assert call.name == "lookup" and json.loads(call.arguments) == ARGUMENTS and call.call_id, call
    upstream = Upstream("hello")
    result = {"type": "function_call_output", "call_id": call.call_id, "output": "7 degrees"}
    call = call.model_dump(include={"type", "call_id", "name", "arguments"})
    assert respond(of + "hello", [*MESSAGES, call, result], tools=[LOOKUP]).output_text
    sent = upstream.only()["body"]
    assert "7 degrees" in sent and "lookup" in sent and "Paris" in sent, sent


@check_each(*RESPONSES)
def reasoning_stands_before_the_text_of_a_response(of):
    for made in (respond(of + "thinking"), final_response(of + "thinking")):
        thought, said = made.output
        texts = [part.text for part in (thought.content or thought.summary)]
        assert thought.type == "reasoning" and all(texts) and said.type == "message", made.output


@check_each(*RESPONSES)
def failures_of_a_response_are_the_exceptions_their_callers_catch(of):
    got = []
    error = raised(openai.APIError, lambda: got.extend(respond(of + "breaks-off", stream=True)))
    assert got and error.code == "truncated", error.body
    assert raised(openai.BadRequestError, lambda: respond(of + "wrong")).status_code == 400
    assert raised(openai.RateLimitError, lambda: respond(of + "limited")).response.headers["retry-after"]


run_all()
