//! Whole answers, read and written.

use super::asked;
use crate::{
    Class, Usage, Verdict,
    dialect::{End, Finish},
    json,
    middle::{Answer, Choice, Json, Lost, Part, Source, ToolCall},
};

fn read(body: &str) -> Result<Answer, Verdict> {
    super::super::answer::read(body.as_bytes())
}

fn write(answer: &Answer) -> (String, Lost) {
    let mut lost = Lost::default();
    let body = super::super::reply::whole(answer, &asked(), &mut lost);
    (String::from_utf8(body.to_vec()).unwrap(), lost)
}

fn said(parts: Vec<Part>) -> Answer {
    Answer {
        choices: vec![Choice {
            parts,
            finish: Some(Finish::Stop),
            ..Choice::default()
        }],
        ..Answer::default()
    }
}

fn call(id: &str, input: &str) -> Part {
    Part::ToolCall(ToolCall {
        id: id.to_owned(),
        name: "f".to_owned(),
        input: input.to_owned(),
        signature: None,
    })
}

const FULL: &str = r#"{"id":"resp_1","object":"response","created_at":7.0,"status":"completed","error":null,"incomplete_details":null,"model":"m","output":[
    {"type":"reasoning","id":"rs_1","summary":[{"type":"summary_text","text":"hm"}],"encrypted_content":"e"},
    {"type":"web_search_call","id":"ws_1","status":"completed"},
    {"type":"message","id":"msg_1","role":"assistant","status":"completed","content":[{"type":"output_text","text":"Hi","annotations":[{"type":"url_citation","url":"u"}],"logprobs":[{"token":"Hi","logprob":-0.10}]},{"type":"refusal","refusal":"no"}]},
    {"type":"function_call","id":"fc_1","call_id":"c","name":"f","arguments":"{\"x\":","status":"completed"}],
    "service_tier":"default","usage":{"input_tokens":10,"input_tokens_details":{"cached_tokens":3,"cache_write_tokens":2},"output_tokens":5,"output_tokens_details":{"reasoning_tokens":4},"total_tokens":15}}"#;

#[test]
fn every_item_is_a_part_in_its_place() {
    let answer = read(FULL).unwrap();
    let json = |text| Json::parse(text).unwrap();
    let expected = Answer {
        id: Some("resp_1".to_owned()),
        model: Some("m".to_owned()),
        created: Some(7),
        choices: vec![Choice {
            index: 0,
            parts: vec![
                Part::Reasoning {
                    text: "hm".to_owned(),
                    signature: None,
                    opaque: Some("e".to_owned()),
                    id: Some("rs_1".to_owned()),
                },
                Part::Other {
                    kind: "web_search_call".to_owned(),
                    value: json(r#"{"type":"web_search_call","id":"ws_1","status":"completed"}"#),
                },
                Part::Text {
                    text: "Hi".to_owned(),
                    citations: Some(json(r#"[{"type":"url_citation","url":"u"}]"#)),
                    cache: None,
                },
                Part::Refusal {
                    text: "no".to_owned(),
                },
                call("c", "{\"x\":"),
            ],
            finish: Some(Finish::ToolCalls),
            stop_sequence: None,
            logprobs: Some(json(r#"{"content":[{"token":"Hi","logprob":-0.10}]}"#)),
        }],
        usage: Some(Usage {
            input: Some(10),
            output: Some(5),
            total: Some(15),
            cached_input: Some(3),
            cache_write: Some(2),
            reasoning: Some(4),
        }),
        service_tier: Some("default".to_owned()),
        ..Answer::default()
    };
    assert_eq!(answer, expected);
}

#[test]
fn what_was_read_is_written_again() {
    let answer = read(FULL).unwrap();
    let (again, lost) = write(&answer);
    assert_eq!(read(&again).unwrap(), answer);
    assert!(lost.is_empty(), "{lost:?}");
}

#[test]
fn a_response_has_every_member_that_the_sdks_demand() {
    let (body, _) = write(&Answer {
        usage: Some(Usage {
            input: Some(3),
            output: Some(4),
            ..Usage::default()
        }),
        ..said(vec![Part::text("Hi"), call("", "")])
    });
    let expected = r#"{"id":"resp_abc","object":"response","created_at":1700000000,"status":"completed","background":false,"error":null,"incomplete_details":null,"instructions":null,"max_output_tokens":null,"model":"chat","output":[{"id":"msg_abc_0","type":"message","status":"completed","role":"assistant","content":[{"type":"output_text","annotations":[],"logprobs":[],"text":"Hi"}]},{"id":"fc_abc_1","type":"function_call","status":"completed","arguments":"{}","call_id":"call_abc_1","name":"f"}],"parallel_tool_calls":true,"previous_response_id":null,"reasoning":null,"store":false,"temperature":null,"text":{"format":{"type":"text"}},"tool_choice":"auto","tools":[],"top_p":null,"truncation":"disabled","usage":{"input_tokens":3,"input_tokens_details":{"cached_tokens":0,"cache_write_tokens":0},"output_tokens":4,"output_tokens_details":{"reasoning_tokens":0},"total_tokens":7},"user":null,"metadata":null}"#;
    assert_eq!(body, expected);
}

#[test]
fn an_answer_that_was_cut_says_so_in_its_last_item() {
    let mut answer = said(vec![call("a", "{}"), call("b", "{\"x")]);
    answer
        .choices
        .iter_mut()
        .for_each(|choice| choice.finish = Some(Finish::Length));
    let (body, _) = write(&answer);
    assert_eq!(
        json::member(&body, "incomplete_details"),
        Some(r#"{"reason":"max_output_tokens"}"#)
    );
    assert!(
        body.contains(r#""status":"completed","arguments":"{}""#),
        "{body}"
    );
    assert!(
        body.contains(r#""status":"incomplete","arguments":"{\"x""#),
        "{body}"
    );
    assert_eq!(
        read(&body).unwrap().choices.first().unwrap().finish,
        Some(Finish::Length)
    );
}

#[test]
fn what_has_no_place_is_named() {
    let mut answer = said(vec![
        Part::Reasoning {
            text: "hm".to_owned(),
            signature: Some("s".to_owned()),
            opaque: None,
            id: Some("foreign".to_owned()),
        },
        Part::text("a"),
        Part::Image {
            source: Source::Url("https://a.example/x.png".to_owned()),
            detail: None,
            cache: None,
        },
        Part::text("b"),
        Part::Other {
            kind: "server_tool_use".to_owned(),
            value: Json::parse("{}").unwrap(),
        },
    ]);
    if let Some(choice) = answer.choices.first_mut() {
        choice.stop_sequence = Some("x".to_owned());
        choice.logprobs = Json::parse(r#"{"content":[{"token":"a"}]}"#);
    }
    answer.choices.push(Choice::default());
    let (body, lost) = write(&answer);
    let thought = r#"{"id":"rs_abc_0","type":"reasoning","summary":[{"type":"summary_text","text":"hm"}],"encrypted_content":"signature:s","#;
    assert!(body.contains(thought), "{body}");
    let names: Vec<_> = lost.names().collect();
    let expected = [
        "choices",
        "image",
        "server_tool_use",
        "stop_sequence",
        "logprobs",
    ];
    assert_eq!(names, expected);
}

#[test]
fn a_failed_response_is_an_error_although_its_status_was_200() {
    for body in [
        r#"{"id":"resp_1","status":"failed","output":[],"error":{"code":"rate_limit_exceeded","message":"slow down"}}"#,
        r#"{"error":{"code":"rate_limit_exceeded","message":"slow down"}}"#,
        r#"{"type":"error","code":"rate_limit_exceeded","message":"slow down"}"#,
    ] {
        let verdict = read(body).unwrap_err();
        assert_eq!(verdict.class, Class::RateLimited, "{body}");
        assert_eq!(verdict.message.as_deref(), Some("slow down"), "{body}");
    }
    let failed = read(r#"{"id":"resp_1","status":"failed","output":[],"error":null}"#);
    assert_eq!(failed.unwrap_err().class, Class::StreamError);
    let cancelled = read(r#"{"id":"resp_1","status":"cancelled","output":[]}"#);
    assert_eq!(cancelled.unwrap_err().class, Class::StreamError);
}

#[test]
fn what_is_no_response_is_malformed() {
    for body in [
        "",
        "[]",
        "<html>",
        "{}",
        r#"{"output":"x"}"#,
        r#"{"choices":[]}"#,
        r#"{"output":[]"#,
    ] {
        assert_eq!(read(body).unwrap_err().class, Class::Malformed, "{body}");
    }
    let odd = super::super::answer::read(b"\xff");
    assert_eq!(odd.unwrap_err().class, Class::Malformed);
}

#[test]
fn a_member_of_a_surprising_type_is_no_reason_to_fail() {
    let body = r#"{"id":5,"created_at":"x","model":[],"status":null,"usage":"?","output":[null,1,"x",{},{"type":"message"},{"type":"message","content":[{"type":"output_text","text":null}]},{"type":"function_call"},{"type":"reasoning","summary":{}}]}"#;
    let answer = read(body).unwrap();
    assert_eq!((answer.id, answer.model, answer.usage), (None, None, None));
    let unnamed = Part::ToolCall(ToolCall {
        id: String::new(),
        name: String::new(),
        input: String::new(),
        signature: None,
    });
    let parts = &answer.choices.first().unwrap().parts;
    assert_eq!(parts, &[Part::text(""), unnamed, Part::reasoning("")]);
}

#[test]
fn one_that_is_not_done_is_not_empty() {
    let queued = r#"{"id":"resp_1","status":"queued","output":[]}"#;
    let summary = super::super::judge_answer(queued.as_bytes()).unwrap();
    assert!(!summary.is_empty());
    assert_eq!(summary.finish, Some(Finish::Other("queued".into())));
    let nothing = r#"{"id":"resp_1","status":"completed","output":[]}"#;
    assert!(
        super::super::judge_answer(nothing.as_bytes())
            .unwrap()
            .is_empty()
    );
}

#[test]
fn the_summary_of_an_answer_tells_its_end_and_its_usage() {
    let summary = super::super::judge_answer(FULL.as_bytes()).unwrap();
    assert_eq!(summary.end, End::Other);
    assert_eq!(summary.id.as_deref(), Some("resp_1"));
    assert_eq!(summary.usage.unwrap().cached_input, Some(3));
    assert!(summary.has_content);
    assert_eq!(summary.state, [crate::state::fingerprint("e")]);
}
