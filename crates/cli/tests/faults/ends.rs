//! FIN-01: the end of a stream is judged by its dialect, and the end mark is ours to add.

use crate::{
    house::{Asks, House, STREAMS, chunk, stream},
    support::Request,
};
use punctual_sim::{Cuts, Script};

const CONFIG: &str = "\
providers: { p: { dialect: openai, base_url: \"{sim}/v1\", api_key: sk-test } }
routes: { \"*\": { plan: { pass: p } } }
";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    Whole,
    Truncated,
}

/// Words of the simulator, and what the stream then is.
const WORDS: [(&str, End); 7] = [
    ("tokens=3", End::Whole),
    ("no-done", End::Whole),
    ("no-done,until-close", End::Whole),
    ("no-done,finish=length", End::Whole),
    ("no-finish", End::Whole),
    ("double-done", End::Whole),
    ("no-finish,no-done", End::Truncated),
];

#[tokio::test]
async fn a_finish_or_a_mark_ends_a_stream_and_one_mark_is_sent() {
    let house = House::open("", CONFIG).await;
    let mut asked = 0;
    for asks in STREAMS {
        for (words, end) in WORDS {
            house.sim.set("m", words.parse::<Script>().unwrap());
            let answer = house.ask(&asks.of("m")).await;
            asked += 1;
            let marks = answer.events().iter().filter(|e| *e == "[DONE]").count();
            let errors: Vec<_> = answer.error_events();
            let what = format!("{words} {asks:?}: {}", answer.text());
            assert!(
                answer.complete && answer.content().starts_with("tok0 "),
                "{what}"
            );
            match end {
                End::Whole => {
                    assert_eq!((marks, errors.len()), (1, 0), "{what}");
                    assert!(answer.text().ends_with("data: [DONE]\n\n"), "{what}");
                }
                End::Truncated => {
                    assert_eq!((marks, errors.len()), (0, 1), "{what}");
                    assert_eq!(errors[0]["code"], "truncated", "{what}");
                }
            }
            let line = house.gateway.log(asked).pop().unwrap();
            let outcome = ["ok", "truncated"][usize::from(end == End::Truncated)];
            assert_eq!(line["outcome"], outcome, "{what}");
        }
    }
}

#[tokio::test]
async fn a_stream_of_two_choices_ends_with_both() {
    let house = House::open("", CONFIG).await;
    let said = chunk("\"delta\":{\"content\":\"seen\"},\"finish_reason\":null");
    let first = chunk("\"delta\":{},\"finish_reason\":\"stop\"");
    let second = first.replace("\"index\":0", "\"index\":1");
    let mut request = Asks::ChatStream.of("m");
    request.body = String::from_utf8(request.body)
        .unwrap()
        .replacen('{', "{\"n\":2,", 1)
        .into_bytes();
    for (body, marks) in [
        (format!("{said}{first}"), 0),
        (format!("{said}{first}{second}"), 1),
        (format!("{said}{second}{first}"), 1),
        (format!("{said}{first}{first}"), 0),
    ] {
        house.sim.set("m", stream(body, Cuts::Events));
        let answer = house.ask(&Request::clone(&request)).await;
        let text = answer.text();
        assert_eq!(usize::from(answer.done()), marks, "{text}");
        assert_eq!(answer.error_events().len(), 1 - marks, "{text}");
    }
}
