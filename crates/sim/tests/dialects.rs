//! Every dialect says what the others say, and misbehaves as they do.
//!
//! A script is written once and must mean the same on each of them, streamed in its own framing: server-sent
//! events, lines, a JSON array, or AWS event stream messages.

#![expect(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod talk;

use std::io::Read;
use std::time::Duration;

use punctual_sim::{Listen, Script, Sim};
use serde_json::Value;
use talk::{End, Heard, ask, body, frames};

const PATIENCE: Duration = Duration::from_millis(80);

/// How a stream is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wire {
    Sse,
    Lines,
    Array,
    Frames,
    Chunks,
}

use Wire::{Array, Chunks, Frames, Lines, Sse};

/// One dialect: the path of a stream, of a unary answer, the framing, and the last thing a stream says.
#[derive(Clone, Copy, Debug)]
struct Dialect(&'static str, &'static str, Wire, &'static str);

const GEMINI: Dialect = Dialect(
    "/v1beta/models/m:streamGenerateContent?alt=sse",
    "/v1beta/models/m:generateContent",
    Sse,
    "\"finishReason\":\"STOP\"",
);
const GEMINI_ARRAY: Dialect = Dialect(
    "/v1beta/models/m:streamGenerateContent",
    "/v1beta/models/m:generateContent",
    Array,
    "\"finishReason\":\"STOP\"",
);
const VERTEX: Dialect = Dialect(
    "/v1/projects/p/locations/l/publishers/google/models/m:streamGenerateContent?alt=sse",
    "/v1/projects/p/locations/l/publishers/google/models/m:generateContent",
    Sse,
    "\"finishReason\":\"STOP\"",
);
const VERTEX_CLAUDE: Dialect = Dialect(
    "/v1/projects/p/locations/l/publishers/anthropic/models/m:streamRawPredict",
    "/v1/projects/p/locations/l/publishers/anthropic/models/m:rawPredict",
    Sse,
    "message_stop",
);
const OLLAMA: Dialect = Dialect("/api/chat", "/api/chat", Lines, "\"done\":true");
const OLLAMA_GENERATE: Dialect = Dialect("/api/generate", "/api/generate", Lines, "\"done\":true");
const CONVERSE: Dialect = Dialect(
    "/model/m/converse-stream",
    "/model/m/converse",
    Frames,
    "\"usage\"",
);
const INVOKE: Dialect = Dialect(
    "/model/m/invoke-with-response-stream",
    "/model/m/invoke",
    Chunks,
    "message_stop",
);
const AZURE: Dialect = Dialect(
    "/openai/deployments/m/chat/completions?api-version=2024-10-21",
    "/openai/v1/chat/completions",
    Sse,
    "[DONE]",
);
const OPENROUTER: Dialect = Dialect(
    "/api/v1/chat/completions",
    "/api/v1/chat/completions",
    Sse,
    "[DONE]",
);
const ALL: [Dialect; 10] = [
    GEMINI,
    GEMINI_ARRAY,
    VERTEX,
    VERTEX_CLAUDE,
    OLLAMA,
    OLLAMA_GENERATE,
    CONVERSE,
    INVOKE,
    AZURE,
    OPENROUTER,
];

async fn told(line: &str, dialect: Dialect, stream: bool) -> Heard {
    let sim = Sim::start(Listen::loopback()).await.unwrap();
    sim.set("m", line.parse::<Script>().unwrap());
    let path = if stream { dialect.0 } else { dialect.1 };
    ask(&sim, path, &body("m", stream), PATIENCE).await
}

/// The events of a whole stream, each as its JSON text.
fn events(heard: &Heard, wire: Wire) -> Vec<String> {
    match wire {
        Sse => heard.data(),
        Lines => heard.text().lines().map(str::to_owned).collect(),
        Array => {
            let mut text = heard.text();
            if !text.ends_with(']') {
                text.push(']');
            }
            let all: Vec<Value> = serde_json::from_str(&text).unwrap();
            all.iter().map(Value::to_string).collect()
        }
        Frames => {
            let all = frames::read(&heard.bytes()).unwrap();
            all.into_iter().map(|frame| frame.payload).collect()
        }
        Chunks => {
            let all = frames::read(&heard.bytes()).unwrap();
            let carried = all.iter().filter(|f| f.header(":event-type") == "chunk");
            carried.map(frames::Frame::carried).collect()
        }
    }
}

fn parsed(heard: &Heard, wire: Wire) -> Vec<Value> {
    let all = events(heard, wire).into_iter();
    let json = all.filter(|event| event != "[DONE]");
    json.map(|event| serde_json::from_str(&event).unwrap())
        .collect()
}

fn json(heard: &Heard) -> Value {
    serde_json::from_slice(&heard.bytes()).unwrap()
}

/// How often a text stands in the events.
fn count(heard: &Heard, dialect: Dialect, text: &str) -> usize {
    let all = events(heard, dialect.2).concat();
    all.matches(text).count()
}

#[tokio::test]
async fn a_stream_says_its_tokens_and_then_its_end_in_the_dialects_own_framing() {
    for dialect in ALL {
        let heard = told("tokens=3", dialect, true).await;
        assert_eq!((&heard.end, heard.status()), (&End::Complete, 200));
        assert_eq!(count(&heard, dialect, "\"tok"), 3, "{dialect:?}");
        let all = events(&heard, dialect.2);
        assert!(
            all.last().unwrap().contains(dialect.3),
            "{dialect:?}: {all:?}"
        );
        let kind = match dialect.2 {
            Sse => "text/event-stream; charset=utf-8",
            Lines => "application/x-ndjson",
            Array => "application/json; charset=UTF-8",
            Frames | Chunks => "application/vnd.amazon.eventstream",
        };
        assert_eq!(heard.header("content-type"), Some(kind), "{dialect:?}");
        let whole = told("tokens=3", dialect, false).await;
        assert!(whole.text().contains("tok0 tok1 tok2 "), "{dialect:?}");
        assert_eq!(whole.header("content-type"), Some("application/json"));
    }
}

#[tokio::test]
async fn silences_and_fillers_mean_the_same_everywhere() {
    for dialect in ALL {
        let heard = told("silent-headers", dialect, true).await;
        assert_eq!((&heard.end, heard.head.len()), (&End::Silent, 0));
        let heard = told("headers-then-silent", dialect, true).await;
        assert_eq!((&heard.end, heard.status()), (&End::Silent, 200));
        assert!(heard.bytes().is_empty(), "{dialect:?}");
        let heard = told("stall-after=3", dialect, true).await;
        assert_eq!(heard.end, End::Silent, "{dialect:?}");
        assert_eq!(count(&heard, dialect, "\"tok"), 3, "{dialect:?}");
        assert_eq!(count(&heard, dialect, dialect.3), 0, "{dialect:?}");
        let heard = told("trickle=10ms", dialect, true).await;
        assert!(count(&heard, dialect, "more ") > 10, "{dialect:?}");
        assert_eq!(heard.end, End::Silent, "{dialect:?}");
        for filler in ["role-only", "empty-deltas", "usage-frames", "keepalive"] {
            let heard = told(filler, dialect, true).await;
            assert_eq!(heard.end, End::Silent, "{dialect:?} {filler}");
            assert!(heard.pieces.len() > 10, "{dialect:?} {filler}");
            assert_eq!(heard.count("tok0"), 0, "{dialect:?} {filler}");
        }
    }
}

#[tokio::test]
async fn early_ends_mean_the_same_everywhere() {
    for dialect in ALL {
        for (script, end, tokens) in [
            ("truncated", End::Fin, 2),
            ("fin-after=1", End::Fin, 1),
            ("rst-after=1", End::Rst, 1),
            ("reset-after=1", End::Rst, 1),
            ("no-done,no-finish", End::Complete, 2),
        ] {
            let heard = told(script, dialect, true).await;
            assert_eq!(heard.end, end, "{dialect:?} {script}");
            assert_eq!(
                count(&heard, dialect, "\"tok"),
                tokens,
                "{dialect:?} {script}"
            );
            assert_eq!(count(&heard, dialect, dialect.3), 0, "{dialect:?} {script}");
        }
        let heard = told("rst", dialect, true).await;
        assert_eq!((&heard.end, heard.head.len()), (&End::Rst, 0));
        let heard = told("no-terminator", dialect, true).await;
        assert_eq!(heard.end, End::Fin, "{dialect:?}");
        assert_eq!(count(&heard, dialect, dialect.3), 1, "{dialect:?}");
    }
}

#[tokio::test]
async fn noise_large_events_and_codings_mean_the_same_everywhere() {
    for dialect in ALL {
        let heard = told("huge-event=1MiB", dialect, true).await;
        let all = events(&heard, dialect.2);
        assert!(all.iter().any(|e| e.len() > 1 << 20), "{dialect:?}");
        let heard = told("comment,ping=5ms,first=30ms", dialect, true).await;
        assert_eq!(heard.end, End::Complete, "{dialect:?}");
        assert_eq!(count(&heard, dialect, "\"tok"), 2, "{dialect:?}");
        let heard = told("gzip", dialect, true).await;
        let mut plain = Vec::new();
        flate2::read::GzDecoder::new(heard.bytes().as_slice())
            .read_to_end(&mut plain)
            .unwrap();
        assert_eq!(plain, told("", dialect, true).await.bytes(), "{dialect:?}");
        let heard = told("garbage", dialect, true).await;
        let bytes = match dialect.2 {
            Chunks => events(&heard, Chunks).concat(),
            _ => heard.text(),
        };
        assert!(bytes.contains("}{ this is not JSON"), "{dialect:?}");
        let heard = told("bom", dialect, true).await;
        assert!(heard.bytes().starts_with(b"\xef\xbb\xbf"), "{dialect:?}");
    }
}

#[tokio::test]
async fn an_error_status_comes_first_and_the_plain_answer_after_it() {
    for dialect in ALL {
        let sim = Sim::start(Listen::loopback()).await.unwrap();
        sim.set(
            "m",
            "fail=1,status=503,retry-after=1".parse::<Script>().unwrap(),
        );
        let refused = ask(&sim, dialect.0, &body("m", true), PATIENCE).await;
        assert_eq!(refused.status(), 503, "{dialect:?}");
        assert!(json(&refused).is_object(), "{dialect:?}");
        let served = ask(&sim, dialect.0, &body("m", true), PATIENCE).await;
        assert_eq!((served.status(), served.end), (200, End::Complete));
    }
}

#[tokio::test]
async fn a_scripted_name_in_a_path_is_a_model_and_no_path_segment() {
    let sim = Sim::start(Listen::loopback()).await.unwrap();
    for path in [
        "/v1beta/models/sim:tokens:5/finish:length:streamGenerateContent?alt=sse",
        "/v1beta/models/sim%3Atokens%3D5:streamGenerateContent?alt=sse",
        "/sim:tokens=5/v1beta/models/m:streamGenerateContent?alt=sse",
        "/openai/deployments/sim:tokens:5/chat/completions",
    ] {
        let heard = ask(&sim, path, r#"{"stream":true}"#, PATIENCE).await;
        assert_eq!(heard.count("\"tok"), 5, "{path}");
    }
    let heard = ask(&sim, "/model/sim:tokens:5/converse-stream", "{}", PATIENCE).await;
    assert_eq!(count(&heard, CONVERSE, "\"tok"), 5);
    assert_eq!(sim.report()[0].model, "sim:tokens:5/finish:length");
    assert!(sim.report().iter().all(|seen| seen.stream));
}

#[tokio::test]
async fn gemini_counts_in_every_event_and_ends_with_its_reason() {
    for dialect in [GEMINI, GEMINI_ARRAY, VERTEX] {
        let heard = told("reasoning=1,tool-call", dialect, true).await;
        let all = parsed(&heard, dialect.2);
        let part = |n: usize| &all[n]["candidates"][0]["content"]["parts"][0];
        assert_eq!(
            (&part(0)["text"], &part(0)["thought"]),
            (&"think0 ".into(), &true.into())
        );
        assert_eq!(part(1)["functionCall"]["args"]["city"], "Paris");
        assert_eq!(part(2)["text"], "tok0 ");
        let used = |n: usize| &all[n]["usageMetadata"];
        assert_eq!(used(0)["totalTokenCount"], 8);
        assert_eq!(used(0)["candidatesTokenCount"], Value::Null);
        let last = all.len() - 1;
        assert_eq!(
            (
                &used(last)["candidatesTokenCount"],
                &used(last)["thoughtsTokenCount"]
            ),
            (&2.into(), &1.into())
        );
        let ended = |n: usize| &all[n]["candidates"][0]["finishReason"];
        assert_eq!(
            (ended(last), ended(last - 1)),
            (&"STOP".into(), &Value::Null)
        );
    }
    let heard = told("", GEMINI, true).await;
    assert!(heard.text().ends_with("}\r\n\r\n") && !heard.text().contains("}\n"));
    assert!(told("lf", GEMINI, true).await.count("\r") == 0);
    let heard = told("", GEMINI_ARRAY, true).await;
    assert!(heard.text().starts_with("[{") && heard.text().ends_with("}\n]"));
    assert_eq!(heard.count("}\n,\r\n{"), 2);
    let whole = json(&told("finish=length,reasoning,tool-call", GEMINI, false).await);
    assert_eq!(whole["candidates"][0]["finishReason"], "MAX_TOKENS");
    assert_eq!(whole["usageMetadata"]["thoughtsTokenCount"], 2);
    assert_eq!(
        whole["candidates"][0]["content"]["parts"]
            .as_array()
            .unwrap()
            .len(),
        3
    );
}

#[tokio::test]
async fn gemini_counts_and_embeds_unary() {
    let sim = Sim::start(Listen::loopback()).await.unwrap();
    let asked = async |verb: &str, body: &str| {
        json(&ask(&sim, &format!("/v1beta/models/m:{verb}"), body, PATIENCE).await)
    };
    assert_eq!(asked("countTokens", "{}").await["totalTokens"], 7);
    assert_eq!(
        asked("embedContent", "{}").await["embedding"]["values"][0],
        0.25
    );
    let batch = asked("batchEmbedContents", r#"{"requests":[{},{},{}]}"#).await;
    assert_eq!(batch["embeddings"].as_array().unwrap().len(), 3);
    assert_eq!(sim.report()[0].model, "m");
}

#[tokio::test]
async fn embeddings_by_invoke_and_predict_have_the_form_of_their_model() {
    let sim = Sim::start(Listen::loopback()).await.unwrap();
    let invoke = "/model/m/invoke";
    let predict = "/v1/projects/p/locations/l/publishers/google/models/m:predict";
    let asked = async |path: &str, body: &str| json(&ask(&sim, path, body, PATIENCE).await);
    let titan = asked(invoke, r#"{"inputText":"a"}"#).await;
    assert_eq!(
        (&titan["embedding"][0], &titan["inputTextTokenCount"]),
        (&0.25.into(), &7.into())
    );
    let cohere = asked(invoke, r#"{"texts":["a","b"],"input_type":"clustering"}"#).await;
    assert_eq!(cohere["embeddings"].as_array().unwrap().len(), 2);
    let vertex = asked(predict, r#"{"instances":[{},{},{}]}"#).await;
    let all = vertex["predictions"].as_array().unwrap();
    assert_eq!(all.len(), 3);
    assert_eq!(all[2]["embeddings"]["statistics"]["token_count"], 7);
    assert!(sim.report().iter().all(|seen| seen.model == "m"));
    sim.set("m", "status=429".parse().unwrap());
    let refused = ask(&sim, invoke, r#"{"inputText":"a"}"#, PATIENCE).await;
    let kind = refused.header("x-amzn-errortype").unwrap();
    assert!(kind.starts_with("ThrottlingException:"), "{kind}");
}

#[tokio::test]
async fn ollama_streams_unless_told_otherwise_and_its_last_line_counts() {
    let sim = Sim::start(Listen::loopback()).await.unwrap();
    let heard = ask(&sim, "/api/chat", r#"{"model":"m"}"#, PATIENCE).await;
    let all = parsed(&heard, Lines);
    assert_eq!(all.len(), 3);
    assert_eq!(
        (&all[0]["message"]["content"], &all[0]["done"]),
        (&"tok0 ".into(), &false.into())
    );
    let last = &all[2];
    assert_eq!(
        (&last["done"], &last["done_reason"]),
        (&true.into(), &"stop".into())
    );
    assert_eq!(
        (&last["eval_count"], &last["prompt_eval_count"]),
        (&2.into(), &7.into())
    );
    assert!(last["total_duration"].is_u64());
    let heard = told("reasoning=1,tool-call", OLLAMA, true).await;
    let all = parsed(&heard, Lines);
    assert_eq!(all[0]["message"]["thinking"], "think0 ");
    let call = &all[1]["message"]["tool_calls"][0]["function"];
    assert_eq!(call["arguments"]["city"], "Paris", "an object, not a text");
    let whole = json(&told("reasoning=1", OLLAMA, false).await);
    assert_eq!(
        (&whole["done"], &whole["message"]["thinking"]),
        (&true.into(), &"think0 ".into())
    );
    let line = &parsed(&told("", OLLAMA_GENERATE, true).await, Lines)[0];
    assert_eq!(line["response"], "tok0 ");
    let embedded = ask(
        &sim,
        "/api/embed",
        r#"{"model":"m","input":["a","b"]}"#,
        PATIENCE,
    )
    .await;
    assert_eq!(json(&embedded)["embeddings"][1][0], 0.25);
    sim.set("mine", Script::plain());
    let tags = talk::send(&sim, "GET", "/api/tags", &[], "").await;
    assert_eq!(json(&tags)["models"][0]["name"], "mine");
}

#[tokio::test]
async fn converse_names_its_events_in_sound_messages() {
    let heard = told("reasoning=1,tool-call", CONVERSE, true).await;
    let all = frames::read(&heard.bytes()).unwrap();
    let names: Vec<&str> = all.iter().map(|f| f.header(":event-type")).collect();
    let wanted = [
        "messageStart",
        "contentBlockDelta",
        "contentBlockDelta",
        "contentBlockStop",
        "contentBlockStart",
        "contentBlockDelta",
        "contentBlockDelta",
        "contentBlockStop",
        "contentBlockDelta",
        "contentBlockDelta",
        "contentBlockStop",
        "messageStop",
        "metadata",
    ];
    assert_eq!(names, wanted);
    assert!(all.iter().all(|f| f.header(":message-type") == "event"));
    let said: Vec<Value> = parsed(&heard, Frames);
    assert_eq!(said[1]["delta"]["reasoningContent"]["text"], "think0 ");
    assert_eq!(said[4]["start"]["toolUse"]["name"], "lookup");
    assert_eq!(said[5]["delta"]["toolUse"]["input"], "{\"city\":");
    let block = |n: usize| said[n]["contentBlockIndex"].as_u64();
    assert_eq!((block(1), block(4), block(8)), (Some(0), Some(1), Some(2)));
    assert_eq!(said[11]["stopReason"], "tool_use");
    assert_eq!(said[12]["usage"]["totalTokens"], 10);
    let whole = json(&told("reasoning,tool-call", CONVERSE, false).await);
    let blocks = &whole["output"]["message"]["content"];
    assert_eq!(
        blocks[0]["reasoningContent"]["reasoningText"]["text"],
        "think0 think1 "
    );
    assert_eq!(blocks[1]["text"], "tok0 tok1 ");
    assert_eq!(blocks[2]["toolUse"]["input"]["city"], "Paris");
    assert_eq!(whole["usage"]["inputTokens"], 7);
}

#[tokio::test]
async fn a_wrong_sum_is_found_by_a_client_that_looks() {
    for dialect in [CONVERSE, INVOKE] {
        let bytes = told("bad-crc", dialect, true).await.bytes();
        assert_eq!(frames::read(&bytes), Err("message"), "{dialect:?}");
        let bytes = told("bad-crc=prelude", dialect, true).await.bytes();
        assert_eq!(frames::read(&bytes), Err("prelude"), "{dialect:?}");
    }
    assert_eq!(told("bad-crc", GEMINI, true).await.count("damaged"), 0);
}

#[tokio::test]
async fn invoke_carries_anthropics_events() {
    let heard = told("", INVOKE, true).await;
    let types: Vec<Value> = parsed(&heard, Chunks)
        .iter()
        .map(|e| e["type"].clone())
        .collect();
    assert_eq!(types[0], "message_start");
    let last = parsed(&heard, Chunks).pop().unwrap();
    assert_eq!(last["type"], "message_stop");
    assert_eq!(
        last["amazon-bedrock-invocationMetrics"]["outputTokenCount"],
        2
    );
    let whole = json(&told("", INVOKE, false).await);
    assert_eq!(whole["content"][0]["text"], "tok0 tok1 ");
}

#[tokio::test]
async fn azure_opens_with_a_chunk_that_has_no_choices() {
    let heard = told("", AZURE, true).await;
    let all = parsed(&heard, Sse);
    assert_eq!(all[0]["choices"], Value::Array(Vec::new()));
    assert!(all[0]["prompt_filter_results"][0]["content_filter_results"].is_object());
    assert_eq!(all[1]["choices"][0]["delta"]["role"], "assistant");
    let filler = told("role-only", AZURE, true).await;
    assert!(filler.count("\"role\":\"assistant\"") > 10);
    let whole = json(&told("", AZURE, false).await);
    assert!(whole["prompt_filter_results"].is_array());
}

#[tokio::test]
async fn openrouter_says_that_it_is_processing() {
    for script in ["comment", "keepalive", "ping=5ms,first=50ms"] {
        let heard = told(script, OPENROUTER, true).await;
        assert!(heard.count(": OPENROUTER PROCESSING\n\n") > 0, "{script}");
    }
    let heard = told(
        "error=429,error-form=finish,error-after=1",
        OPENROUTER,
        true,
    )
    .await;
    let last = parsed(&heard, Sse).pop().unwrap();
    assert_eq!(last["choices"][0]["finish_reason"], "error");
    assert_eq!(last["error"]["code"], 429);
    let whole = told("error=502", OPENROUTER, false).await;
    assert_eq!(
        (whole.status(), &json(&whole)["error"]["code"]),
        (200, &502.into())
    );
}

#[tokio::test]
async fn errors_wear_the_form_of_each_dialect() {
    for dialect in [GEMINI, GEMINI_ARRAY, VERTEX] {
        let refused = json(&told("status=429", dialect, true).await);
        assert_eq!(refused["error"]["code"], 429);
        assert_eq!(refused["error"]["status"], "RESOURCE_EXHAUSTED");
        let heard = told("error-after=1,error=overloaded", dialect, true).await;
        let all = parsed(&heard, dialect.2);
        assert_eq!(all.len(), 2);
        assert_eq!(all[1]["error"]["status"], "UNAVAILABLE");
        assert_eq!(heard.end, End::Complete);
    }
    let heard = told("error-first", GEMINI_ARRAY, true).await;
    assert_eq!(json(&heard)[0]["error"]["code"], 500, "a whole array");
    let refused = json(&told("status=500", OLLAMA, true).await);
    assert!(refused["error"].is_string());
    let heard = told("error-after=1", OLLAMA, true).await;
    assert!(parsed(&heard, Lines)[1]["error"].is_string());
}

#[tokio::test]
async fn bedrock_names_its_exceptions_in_headers() {
    for dialect in [CONVERSE, INVOKE] {
        let refused = told("status=429", dialect, true).await;
        let kind = refused.header("x-amzn-errortype").unwrap();
        assert!(kind.starts_with("ThrottlingException"), "{kind}");
        assert!(json(&refused)["message"].is_string());
        for (script, name) in [
            ("error=rate_limit", "throttlingException"),
            ("error=server", "internalServerException"),
            ("error=invalid_request", "validationException"),
            (
                "error=modelStreamErrorException",
                "modelStreamErrorException",
            ),
        ] {
            let heard = told(&format!("{script},error-after=1"), dialect, true).await;
            let last = frames::read(&heard.bytes()).unwrap().pop().unwrap();
            assert_eq!(last.header(":message-type"), "exception", "{script}");
            assert_eq!(last.header(":exception-type"), name);
        }
        let heard = told("error=server,error-form=field", dialect, true).await;
        let last = frames::read(&heard.bytes()).unwrap().pop().unwrap();
        assert_eq!(last.header(":message-type"), "error");
        assert_eq!(last.header(":error-code"), "server_error");
    }
}
