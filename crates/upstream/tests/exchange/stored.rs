//! What was made before, asked for by its id: nothing is sent but a path, and whatever the API says of it is an
//! answer.

use crate::support::{Ask, Bench, HTTP1, HTTP2};
use http::Method;
use punctual_core::{Code, Surface};
use punctual_sim::Listen;
use punctual_upstream::{Dialect, TargetSpec};

fn responses(spec: &mut TargetSpec) {
    spec.dialect = Dialect::Responses;
}

#[tokio::test]
async fn a_response_is_read_cancelled_and_deleted() {
    for way in [HTTP1, HTTP2] {
        let bench = Bench::with(way, Listen::loopback(), responses).await;
        let made = Ask {
            surface: Surface::Responses,
            ..Ask::unary("m")
        };
        let made = bench.hear(&made).await.complete();
        let id = made.summary.response_id.unwrap();
        let path = format!("/responses/{id}");
        for (method, below, holds) in [
            (Method::GET, "?include[]=x", "\"object\":\"response\""),
            (Method::POST, "/cancel", "\"object\":\"response\""),
            (Method::DELETE, "", "\"deleted\":true"),
        ] {
            let ask = Ask::stored(method.clone(), format!("{path}{below}"));
            let answer = bench.hear(&ask).await.complete();
            assert!(answer.text.contains(holds), "{method}: {}", answer.text);
            assert_eq!(answer.summary.usage.input_tokens, None, "counted once");
            let seen =
                bench.seen(|seen| seen.method == method.as_str() && seen.path.contains(&path));
            let seen = seen.await;
            assert_eq!(seen.path, format!("/v1{path}{below}"));
            assert!(seen.body.is_empty());
            assert_eq!(seen.header("content-type"), None);
        }
        let gone = bench.hear(&Ask::stored(Method::GET, path)).await;
        let gone = gone.failure.unwrap();
        assert_eq!(
            (gone.code, gone.status.unwrap().as_u16()),
            (Code::InvalidRequest, 404)
        );
        assert!(gone.body.is_some() && !gone.benches, "{gone:?}");
    }
}

#[tokio::test]
async fn only_who_speaks_the_api_can_have_made_a_response() {
    let bench = Bench::new(HTTP1).await;
    let ask = Ask::stored(Method::GET, "/responses/r".to_owned());
    let failure = bench.hear(&ask).await.failure.unwrap();
    assert_eq!(failure.code, Code::Unsupported);
    assert_eq!(
        failure.message,
        "target t speaks openai, which does not serve responses by their id"
    );
}
