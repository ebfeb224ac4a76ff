"""Google's client of Python, passed through to a provider of Google's API."""
import json

from google import genai
from google.genai import errors, types

from checks import CITY, KEY, URL, Took, Upstream, check, raised, run_all



def connect(target="gemini-hello", key=KEY):
    # the version of the API stands in the target's own address
    options = types.HttpOptions(base_url=f"{URL}/passthrough/{target}", api_version="")
    return genai.Client(api_key=key, http_options=options)


client = connect()
LOOKUP = types.Tool(
    function_declarations=[
        types.FunctionDeclaration(name="lookup", description="Looks a city up.", parameters_json_schema=CITY)
    ]
)


def ask(model, through=client, contents="hi", **config):
    return through.models.generate_content(
        model=model, contents=contents, config=types.GenerateContentConfig(**config)
    )


def stream_of(model, through=client, **config):
    return through.models.generate_content_stream(
        model=model, contents="hi", config=types.GenerateContentConfig(**config)
    )


@check
def an_answer_comes_whole_and_streamed_with_usage():
    whole = ask("hello")
    assert len(whole.text.split()) == 3 and whole.usage_metadata.total_token_count == 10, whole
    chunks = list(stream_of("hello"))
    assert "".join(chunk.text or "" for chunk in chunks) == whole.text and len(chunks) > 3, chunks
    assert chunks[-1].candidates[0].finish_reason == "STOP", chunks[-1]


@check
async def an_answer_comes_to_the_asynchronous_client():
    whole = await client.aio.models.generate_content(model="hello", contents="hi")
    stream = await client.aio.models.generate_content_stream(model="hello", contents="hi")
    assert "".join([chunk.text or "" async for chunk in stream]) == whole.text


@check
def the_provider_is_asked_with_its_own_key_and_what_the_sdk_wrote():
    upstream = Upstream("hello")
    ask("hello", temperature=0.5)
    request = upstream.only()
    assert request["path"] == "/v1beta/models/hello:generateContent", request["path"]
    headers = upstream.headers()
    assert headers["x-goog-api-key"] == "sk-gemini" and KEY not in json.dumps(request), request
    assert upstream.body()["generationConfig"] == {"temperature": 0.5}


@check
def a_tool_is_called_and_its_result_goes_back():
    whole = ask("tooling", tools=[LOOKUP])
    [call] = whole.function_calls
    assert (call.name, call.args) == ("lookup", {"city": "Paris"}), call
    [streamed] = [call for chunk in stream_of("tooling", tools=[LOOKUP]) for call in chunk.function_calls or ()]
    assert streamed.args == call.args
    result = types.Part.from_function_response(name="lookup", response={"degrees": 7})
    turns = [types.UserContent("hi"), whole.candidates[0].content, types.UserContent(result)]
    upstream = Upstream("hello")
    assert ask("hello", contents=turns, tools=[LOOKUP]).text
    sent = upstream.body()["contents"]
    assert sent[2]["parts"][0]["functionResponse"]["response"] == {"degrees": 7}, sent


@check
def a_tool_that_is_a_function_is_called_by_the_sdk():
    asked = []

    def lookup(city: str) -> int:
        """Looks a city up."""
        asked.append(city)
        return 7

    calls = types.AutomaticFunctionCallingConfig(maximum_remote_calls=2)
    ask("tooling", tools=[lookup], automatic_function_calling=calls)
    assert asked and set(asked) == {"Paris"}, asked


@check
def thoughts_are_parts_of_their_own():
    thought, said = ask("thinking").candidates[0].content.parts
    assert thought.thought and thought.text and said.text and not said.thought, (thought, said)


@check
def tokens_are_counted_and_texts_embedded():
    assert client.models.count_tokens(model="hello", contents="hi").total_tokens == 7
    assert client.models.embed_content(model="hello", contents="hi").embeddings[0].values


@check
def errors_are_the_exceptions_their_callers_catch():
    limited = connect("gemini-limited")
    theirs = raised(errors.ClientError, lambda: ask("limited", limited))
    assert (theirs.code, theirs.status) == (429, "RESOURCE_EXHAUSTED"), theirs.details
    # the provider is left alone for as long as it asked for
    ours = raised(errors.ClientError, lambda: ask("limited", limited))
    assert ours.code == 429 and ours.details["error"]["code"] == "cooling_down", ours.details
    broken = raised(errors.ServerError, lambda: ask("broken"))
    assert (broken.code, broken.status) == (500, "INTERNAL"), broken.details
    wrong = raised(errors.ClientError, lambda: ask("wrong"))
    assert (wrong.code, wrong.status) == (400, "INVALID_ARGUMENT"), wrong.details
    stranger = connect(key="of-nobody-at-all")
    assert raised(errors.ClientError, lambda: ask("hello", stranger)).code == 401


@check
def a_spent_deadline_ends_the_call_and_the_upstream():
    for through in (ask, lambda model, **more: list(stream_of(model, **more))):
        upstream = Upstream("silent")
        hurried = types.HttpOptions(headers={"X-Request-Deadline-Ms": "300"})
        with Took() as took:
            error = raised(errors.ServerError, lambda: through("silent", http_options=hurried))
        took.within(0.29, 0.6)
        assert error.code == 504, error.details
        upstream.closed_within_ms(upstream.now_us())
        upstream.only()


@check
def a_stream_that_breaks_off_is_an_exception_and_no_end():
    got = []
    try:
        got.extend(stream_of("breaks-off"))
    except Exception:
        pass
    else:
        raise AssertionError(f"an end after {got}")
    assert got and not any(chunk.candidates[0].finish_reason for chunk in got), got


@check
def a_stream_that_is_closed_ends_the_upstream():
    upstream = Upstream("endless")
    stream = stream_of("endless")
    next(stream)
    now = upstream.now_us()
    stream.close()
    upstream.closed_within_ms(now)


run_all()
