"""AWS's client of Python for Bedrock, passed through to a provider of Bedrock's API."""
import json

import boto3
from botocore.config import Config
from botocore.exceptions import ClientError, EventStreamError

from checks import CITY, KEY, URL, Took, Upstream, check, run_all

QUESTION = [{"role": "user", "content": [{"text": "hi"}]}]
TOOLS = {"tools": [{"toolSpec": {"name": "lookup", "description": "Looks a city up.", "inputSchema": {"json": CITY}}}]}


def connect(target="bedrock-hello", **headers):
    """A client that signs with credentials of its own and sends some headers more."""
    signing = boto3.client(
        "bedrock-runtime",
        endpoint_url=f"{URL}/passthrough/{target}",
        region_name="eu-central-1",
        config=Config(retries={"total_max_attempts": 1}),
        aws_access_key_id="AKIDOFTHECALLER",
        aws_secret_access_key="of-the-caller",
    )

    def add(request, **_):
        for name, value in ({"x_punctual_key": KEY} | headers).items():
            request.headers.add_header(name.replace("_", "-"), value)

    signing.meta.events.register("before-sign.*", add)
    return signing


client = connect()


def converse(model, through=client, messages=QUESTION, **more):
    return through.converse(modelId=model, messages=messages, **more)


def stream_of(model, through=client, **more):
    return through.converse_stream(modelId=model, messages=QUESTION, **more)["stream"]


def refused(call):
    """The error of a call that is refused."""
    try:
        call()
    except ClientError as error:
        return error
    raise AssertionError("no error")


def pieces(events, name):
    """What the deltas of this name say."""
    deltas = [event["contentBlockDelta"]["delta"] for event in events if "contentBlockDelta" in event]
    return [delta[name] for delta in deltas if name in delta]


@check
def an_answer_comes_whole_and_streamed_with_usage():
    whole = converse("hello")
    text = whole["output"]["message"]["content"][0]["text"]
    assert whole["stopReason"] == "end_turn" and whole["usage"]["totalTokens"] == 10, whole
    events = list(stream_of("hello"))
    assert "".join(pieces(events, "text")) == text and len(text.split()) == 3, events
    assert events[-1]["metadata"]["usage"]["totalTokens"] == 10, events


@check
def the_provider_is_asked_with_its_own_signature_and_what_the_sdk_wrote():
    upstream = Upstream("anthropic.claude:0")
    converse("anthropic.claude:0", inferenceConfig={"maxTokens": 5})
    request, headers = upstream.only(), upstream.headers()
    assert "Credential=AKIDOFTHESIM/" in headers["authorization"], headers
    assert "/us-east-1/bedrock/aws4_request" in headers["authorization"], headers
    for secret in (KEY, "AKIDOFTHECALLER"):
        assert secret not in json.dumps(request), request
    assert request["path"] == "/model/anthropic.claude%3A0/converse", request["path"]
    assert upstream.body()["inferenceConfig"] == {"maxTokens": 5}


@check
def a_tool_is_called_and_its_result_goes_back():
    whole = converse("tooling", toolConfig=TOOLS)["output"]["message"]
    [call] = [block["toolUse"] for block in whole["content"] if "toolUse" in block]
    assert (call["name"], call["input"]) == ("lookup", {"city": "Paris"}), call
    events = list(stream_of("tooling", toolConfig=TOOLS))
    streamed = "".join(piece["input"] for piece in pieces(events, "toolUse"))
    assert json.loads(streamed) == call["input"], events
    result = {"toolResult": {"toolUseId": call["toolUseId"], "content": [{"text": "7 degrees"}]}}
    turns = [{"role": "assistant", "content": [{"toolUse": call}]}, {"role": "user", "content": [result]}]
    upstream = Upstream("hello")
    assert converse("hello", messages=[*QUESTION, *turns], toolConfig=TOOLS)["output"]
    assert upstream.body()["messages"][2]["content"][0] == result


@check
def thoughts_and_their_signatures_come():
    thought = converse("thinking")["output"]["message"]["content"][0]["reasoningContent"]["reasoningText"]
    assert thought["text"] and thought["signature"] == "c2lt", thought
    assert {"signature": "c2lt"} in pieces(stream_of("thinking"), "reasoningContent")


@check
def a_claude_is_invoked_whole_and_streamed():
    body = json.dumps({"anthropic_version": "bedrock-2023-05-31", "max_tokens": 5, "messages": []})
    whole = json.load(client.invoke_model(modelId="hello", body=body)["body"])
    events = client.invoke_model_with_response_stream(modelId="hello", body=body)["body"]
    said = [json.loads(event["chunk"]["bytes"]) for event in events]
    text = "".join(event["delta"].get("text", "") for event in said if event["type"] == "content_block_delta")
    assert text == whole["content"][0]["text"] != "", said


@check
def errors_are_the_exceptions_their_callers_catch():
    limited = refused(lambda: converse("limited", connect("bedrock-limited")))
    assert isinstance(limited, client.exceptions.ThrottlingException), limited.response
    assert limited.response["ResponseMetadata"]["HTTPHeaders"]["retry-after"] == "30", limited.response
    assert limited.response["ResponseMetadata"]["HTTPStatusCode"] == 429, limited.response
    broken = refused(lambda: converse("broken"))
    assert isinstance(broken, client.exceptions.InternalServerException), broken.response
    assert broken.response["ResponseMetadata"]["HTTPStatusCode"] == 500, broken.response
    wrong = refused(lambda: converse("wrong"))
    assert isinstance(wrong, client.exceptions.ValidationException), wrong.response
    stranger = connect(x_punctual_key="of-nobody-at-all")
    status = refused(lambda: converse("hello", stranger)).response["ResponseMetadata"]["HTTPStatusCode"]
    assert status == 401, status


@check
def an_exception_in_a_stream_is_raised():
    got = []
    try:
        got.extend(stream_of("errs-inside"))
    except EventStreamError as error:
        assert got and error.response["Error"]["Message"], (got, error.response)
    else:
        raise AssertionError(f"an end after {got}")


@check
def a_stream_that_breaks_off_is_no_end():
    got = []
    try:
        got.extend(stream_of("breaks-off"))
    except Exception:
        pass
    assert pieces(got, "text") and "messageStop" not in got[-1] and "metadata" not in got[-1], got


@check
def a_spent_deadline_ends_the_call_and_the_upstream():
    hurried = connect(x_request_deadline_ms="300")
    for ask in (converse, stream_of):
        upstream = Upstream("silent")
        with Took() as took:
            error = refused(lambda: ask("silent", hurried))
        took.within(0.29, 0.6)
        assert error.response["ResponseMetadata"]["HTTPStatusCode"] == 504, error.response
        upstream.closed_within_ms(upstream.now_us())
        upstream.only()


@check
def a_stream_that_is_closed_ends_the_upstream():
    upstream = Upstream("endless")
    stream = stream_of("endless")
    next(event for event in stream if "contentBlockDelta" in event)
    now = upstream.now_us()
    stream.close()
    upstream.closed_within_ms(now)


run_all()
