//! Claude by Bedrock's InvokeModel, and embeddings that a cloud has in its own words: what the provider is sent,
//! byte for byte, and what a caller gets.

use crate::{
    stage::{Mark, Stage, beside},
    support::{Answer, Request},
    voices::{Voice, events},
};
use punctual_sim::{Cuts, Script, Seen};
use sha2::{Digest, Sha256};

/// As a caller may write it: spelled in its own way, with members that nobody here knows.
const ASKED: &str = concat!(
    r#"{"model":"claude","stream":true, "max_tokens" : 1e2,"temperature":0.10,"#,
    r#""thinking":{"type":"enabled","budget_tokens":1024},"anthropic_beta":["a"],"#,
    r#""messages":[{"role":"user","content":[{"type":"text","text":"hi","cache_control":{"type":"ephemeral"}}]},"#,
    r#"{"role":"assistant","content":[{"type":"thinking","thinking":"hm","signature":"c2ln"}]}],"of_tomorrow":[1.0]}"#
);

/// The same without what the path says.
const SENT: &str = concat!(
    r#""max_tokens":1e2,"temperature":0.10,"thinking":{"type":"enabled","budget_tokens":1024},"#,
    r#""messages":[{"role":"user","content":[{"type":"text","text":"hi","cache_control":{"type":"ephemeral"}}]},"#,
    r#"{"role":"assistant","content":[{"type":"thinking","thinking":"hm","signature":"c2ln"}]}],"of_tomorrow":[1.0]}"#
);

const MODEL: &str = "arn:aws:bedrock:us-east-1:1:inference-profile/us.anthropic.claude-x-v1:0";

fn config(origin: &str) -> String {
    let aws = format!(
        "dialect: bedrock, region: us-east-1, base_url: \"{origin}\", access_key_id: AKIATEST, secret_access_key: s"
    );
    let mut text = "targets:\n".to_owned();
    for (name, model, more) in [
        ("claude", MODEL, ", api: invoke"),
        (
            "own",
            MODEL,
            ", api: invoke, headers: { anthropic-beta: x }",
        ),
        ("nova", "amazon.nova-lite-v1:0", ""),
        ("titan", "amazon.titan-embed-text-v2:0", ""),
        ("cohere", "cohere.embed-english-v3", ""),
    ] {
        text += &format!("  {name}: {{ {aws}, model: \"{model}\"{more} }}\n");
    }
    text += &format!(
        "  vertex: {{ dialect: vertex, project: p, base_url: \"{origin}/v1\", api_key: k, model: text-embedding-005 }}\n"
    );
    text += "routes:\n";
    for name in ["claude", "own", "nova", "titan", "cohere", "vertex"] {
        text += &format!("  {name}: {{ plan: {name} }}\n");
    }
    text += "  drops: { plan: titan, unsupported: drop }\n";
    text + "  both: { plan: [ titan, cohere ] }\n"
}

impl Stage {
    async fn embed(&self, body: &str) -> (Answer, Option<Seen>) {
        self.sim.reset();
        let answer = self.ask(&Request::post("/v1/embeddings", body)).await;
        (answer, self.sim.report().pop())
    }
}

#[test]
fn a_message_reaches_claude_as_it_came_and_is_signed_as_it_is_sent() {
    beside(async {
        let stage = Stage::open(config).await;
        let request = |route: &str| {
            let body = ASKED.replace(r#""model":"claude""#, &format!(r#""model":"{route}""#));
            Request::post("/v1/messages", &body).with("anthropic-beta", "b, c")
        };
        for (route, betas) in [("claude", r#"["a","b","c"]"#), ("own", r#"["a","x"]"#)] {
            stage.sim.reset();
            let answer = stage.ask(&request(route)).await;
            assert_eq!(answer.status, 200, "{}", answer.text());
            let seen = stage.sim.report().remove(0);
            assert_eq!(
                seen.path,
                "/model/arn%3Aaws%3Abedrock%3Aus-east-1%3A1%3Ainference-profile%2Fus.anthropic.claude-x-v1%3A0/invoke-with-response-stream"
            );
            let body = format!(
                r#"{{"anthropic_version":"bedrock-2023-05-31","anthropic_beta":{betas},{SENT}"#
            );
            assert_eq!(String::from_utf8_lossy(&seen.body), body);
            assert_eq!(seen.header("anthropic-beta"), None);
            let digest = Sha256::digest(&seen.body);
            let digest: String = digest.iter().map(|b| format!("{b:02x}")).collect();
            assert_eq!(seen.header("x-amz-content-sha256"), Some(digest.as_str()));
            let signed = seen.header("authorization").unwrap();
            assert!(signed.starts_with("AWS4-HMAC-SHA256 "), "{signed}");
        }
    });
}

#[test]
fn what_bedrock_has_no_place_for_is_named_where_a_question_is_translated_and_goes_on_where_it_is_relayed()
 {
    beside(async {
        let stage = Stage::open(config).await;
        let asked = concat!(
            r#"{"model":"claude","service_tier":"flex","user":"u-1","mcp_servers":[],"context_management":{"edits":[]},"#,
            r#""messages":[{"role":"user","content":"hi"}]}"#
        );
        let answer = stage
            .ask(&Request::post("/v1/chat/completions", asked))
            .await;
        assert_eq!(answer.status, 200, "{}", answer.text());
        let dropped = answer.header("x-punctual-dropped").unwrap().to_owned();
        assert_eq!(dropped, "service_tier, mcp_servers");
        let seen = stage.sim.report().remove(0);
        assert_eq!(
            String::from_utf8_lossy(&seen.body),
            concat!(
                r#"{"anthropic_version":"bedrock-2023-05-31","max_tokens":4096,"messages":[{"role":"user","content":"hi"}],"#,
                r#""metadata":{"user_id":"u-1"},"context_management":{"edits":[]}}"#
            )
        );

        stage.sim.reset();
        let body = r#"{"model":"claude","service_tier":"auto","max_tokens":9,"messages":[{"role":"user","content":"hi"}]}"#;
        let answer = stage.ask(&Request::post("/v1/messages", body)).await;
        assert_eq!(answer.header("x-punctual-dropped"), None);
        let seen = stage.sim.report().remove(0);
        let sent = String::from_utf8_lossy(&seen.body);
        assert!(sent.contains(r#""service_tier":"auto""#), "{sent}");
    });
}

#[test]
fn a_picture_by_its_address_does_not_reach_claude_on_bedrock() {
    beside(async {
        let stage = Stage::open(config).await;
        let body = concat!(
            r#"{"model":"claude","messages":[{"role":"user","content":[{"type":"text","text":"hi"},"#,
            r#"{"type":"image_url","image_url":{"url":"https://example.com/a.png"}}]}]}"#
        );
        let answer = stage
            .ask(&Request::post("/v1/chat/completions", body))
            .await;
        let text = answer.text();
        assert_eq!(
            (answer.status, answer.code().as_str()),
            (400, "unsupported")
        );
        assert!(text.contains("messages[].content[].image"), "{text}");
        assert!(stage.sim.report().is_empty());
    });
}

#[test]
fn the_events_of_claude_come_as_they_would_over_http() {
    beside(async {
        let stage = Stage::open(config).await;
        stage.plays(MODEL, "reasoning=1,tool-call,tokens=2");
        let answer = stage.ask(&Voice::Messages.asks("claude", true)).await;
        let text = answer.text();
        assert_eq!(answer.header("content-type"), Some("text/event-stream"));
        for event in events(&answer) {
            assert_eq!(event.json()["type"], event.name.unwrap(), "{text}");
        }
        assert!(text.contains(r#""signature":"c2lt""#), "{text}");
        // what is Bedrock's own at the end of it stays
        assert!(text.contains("amazon-bedrock-invocationMetrics"), "{text}");
        let whole = stage.ask(&Voice::Messages.asks("claude", false)).await;
        assert_eq!(whole.json()["content"][0]["signature"], "c2lt");
        assert!(stage.sim.report()[1].path.ends_with("/invoke"));
    });
}

#[test]
fn vectors_are_asked_for_in_the_words_of_their_model() {
    beside(async {
        let stage = Stage::open(config).await;
        for (body, path, sent, tokens) in [
            (
                r#"{"model":"titan","input":["a"],"dimensions":256,"encoding_format":"base64"}"#,
                "/model/amazon.titan-embed-text-v2%3A0/invoke",
                r#"{"inputText":"a","dimensions":256}"#,
                7,
            ),
            (
                r#"{"model":"cohere","input":["a","b"],"input_type":"search_query","encoding_format":"base64"}"#,
                "/model/cohere.embed-english-v3/invoke",
                r#"{"texts":["a","b"],"input_type":"search_query"}"#,
                0,
            ),
            (
                r#"{"model":"vertex","input":["a","b"],"dimensions":64,"encoding_format":"base64"}"#,
                "/v1/projects/p/locations/global/publishers/google/models/text-embedding-005:predict",
                r#"{"instances":[{"content":"a"},{"content":"b"}],"parameters":{"outputDimensionality":64}}"#,
                14,
            ),
        ] {
            let (answer, seen) = stage.embed(body).await;
            let (text, seen) = (answer.text(), seen.unwrap());
            assert_eq!(answer.status, 200, "{text}");
            assert_eq!(seen.path, path);
            assert_eq!(String::from_utf8_lossy(&seen.body), sent);
            // 0.25, -0.5, 0.125 as little-endian floats
            assert_eq!(answer.json()["data"][0]["embedding"], "AACAPgAAAL8AAAA+");
            assert_eq!(answer.json()["usage"]["prompt_tokens"], tokens, "{text}");
            assert_eq!(answer.header("x-punctual-dropped"), None);
        }
    });
}

#[test]
fn tokens_that_only_the_head_of_an_answer_counts_are_told() {
    beside(async {
        let stage = Stage::open(config).await;
        for (route, model, body) in [
            (
                "cohere",
                "cohere.embed-english-v3",
                r#"{"embeddings":[[0.25]]}"#,
            ),
            (
                "titan",
                "amazon.titan-embed-text-v2:0",
                r#"{"embedding":[0.25]}"#,
            ),
        ] {
            let counted = [("X-Amzn-Bedrock-Input-Token-Count", "11")];
            let script = Script::raw(200, "application/json", &counted, body, Cuts::Whole);
            stage.sim.set(model, script);
            let mark = Mark::new();
            let asked = format!(r#"{{"model":"{route}","input":"a"}}"#);
            let answer = stage
                .ask(&mark.on(Request::post("/v1/embeddings", &asked)))
                .await;
            assert_eq!(
                answer.json()["usage"]["prompt_tokens"],
                11,
                "{}",
                answer.text()
            );
            let record = stage.record(&mark);
            assert_eq!(record["usage"]["input"], 11, "{record:#}");
        }
    });
}

#[test]
fn more_texts_than_a_call_takes_are_refused_or_go_to_who_takes_them() {
    beside(async {
        let stage = Stage::open(config).await;
        for route in ["titan", "drops"] {
            let body = format!(r#"{{"model":"{route}","input":["of the caller","b","c"]}}"#);
            let (answer, seen) = stage.embed(&body).await;
            let text = answer.text();
            assert_eq!(
                (answer.status, answer.code().as_str()),
                (400, "unsupported")
            );
            for part in ["titan", "input holds 3 texts", "takes 1", "in 3 calls"] {
                assert!(text.contains(part), "{part}: {text}");
            }
            assert!(!text.contains("of the caller"), "{text}");
            assert!(seen.is_none(), "{seen:?}");
        }
        let (answer, seen) = stage.embed(r#"{"model":"both","input":["a","b"]}"#).await;
        assert_eq!(answer.header("x-punctual-target"), Some("cohere"));
        assert!(seen.unwrap().path.contains("cohere"));
        let (answer, _) = stage.embed(r#"{"model":"nova","input":"a"}"#).await;
        assert_eq!(
            (answer.status, answer.code().as_str()),
            (400, "unsupported")
        );
    });
}
