//! Bodies that come compressed although nobody asked, cut, or too large.

use crate::{
    large::provider_that_says,
    support::{Ask, Bench, HTTP1, WAYS, attempt, read},
};
use flate2::{Compression, write::GzEncoder};
use http::Method;
use punctual_core::{Code, Progress, Surface};
use punctual_sim::Listen;
use punctual_upstream::{Auth, Pools, TargetSpec, Upstreams};
use std::{io::Write, time::Duration};

#[tokio::test]
async fn a_gzipped_stream_is_decoded_event_by_event_as_it_comes() {
    let bench = Bench::new(HTTP1).await;
    let ask = Ask::stream("sim:tokens=4,gap=200ms,gzip");
    let heard = bench.hear(&ask).await.complete();
    assert_eq!(heard.contents(), 4);
    let times: Vec<_> = heard.pieces.iter().map(|(at, _)| *at).collect();
    let widest = times.windows(2).map(|w| w[1] - w[0]).max().unwrap();
    assert!(widest >= Duration::from_millis(150), "{times:?}");
    assert!(
        times[times.len() - 1] - times[0] >= Duration::from_millis(500),
        "{times:?}"
    );
    assert_eq!(
        bench.seen(|_| true).await.header("accept-encoding"),
        Some("identity")
    );
}

#[tokio::test]
async fn a_gzipped_answer_is_decoded_and_its_labels_are_dropped() {
    for way in WAYS {
        let bench = Bench::new(way).await;
        let answer = bench.send(&Ask::unary("sim:tokens=3,gzip")).await.unwrap();
        let head = punctual_core::Pieces::head(&answer).headers.clone();
        assert!(!head.contains_key("content-encoding") && !head.contains_key("content-length"));
        let heard = crate::support::read(answer).await.complete();
        assert!(heard.text.starts_with('{'));
    }
}

#[tokio::test]
async fn an_encoding_nobody_knows_is_malformed() {
    let bench = Bench::new(HTTP1).await;
    let ask = Ask::stream("sim:tokens=1,header=content-encoding:br");
    assert_eq!(bench.fails(&ask).await.code, Code::MalformedResponse);
}

#[tokio::test]
async fn a_cut_answer_is_truncated_never_complete() {
    for way in WAYS {
        let bench = Bench::new(way).await;
        for ask in [
            Ask::stream("sim:tokens=5,fin-after=2"),
            Ask::stream("sim:tokens=5,rst-after=2"),
            Ask::unary("sim:tokens=5,fin-after=2"),
            Ask::stream("sim:tokens=5,no-terminator"),
            Ask::unary("sim:tokens=5,chunked,no-terminator"),
            Ask::unary("sim:tokens=5,until-close,fin-after=2"),
        ] {
            let heard = bench.hear(&ask).await;
            assert_eq!(heard.code(), Some(Code::Truncated), "{way:?} {}", ask.model);
        }
    }
}

#[tokio::test]
async fn limits_on_answers_and_events_are_failures_of_their_own() {
    let small = |spec: &mut punctual_upstream::TargetSpec| {
        spec.max_response_bytes = 100_000;
        spec.max_event_bytes = 100_000;
    };
    let bench = Bench::with(HTTP1, Listen::loopback(), small).await;
    for ask in [
        Ask::unary("sim:huge-event=200KiB"),
        Ask::stream("sim:huge-event=200KiB"),
        Ask::stream("sim:huge-event=200KiB,json-for-stream"),
    ] {
        let heard = bench.hear(&ask).await;
        assert_eq!(heard.code(), Some(Code::ResponseTooLarge), "{}", ask.model);
    }
    bench
        .hear(&Ask::stream("sim:huge-event=50KiB"))
        .await
        .complete();
}

#[tokio::test]
async fn a_half_event_at_the_end_is_dropped_and_counted_and_a_whole_one_is_kept() {
    let bench = Bench::new(HTTP1).await;
    for (body, kept, dropped) in [
        (
            "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"a\"},\"finish_reason\":\"stop\"}]}",
            1,
            0,
        ),
        (
            "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"a\"}}]}\n\ndata: {\"choi",
            1,
            12,
        ),
        (
            "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"a\"}}]}\n\ndat",
            1,
            3,
        ),
    ] {
        bench
            .sim
            .set("half", crate::support::body(body, ",until-close"));
        let heard = bench.hear(&Ask::stream("half")).await;
        assert!(heard.failure.is_none(), "{:?}", heard.failure);
        assert_eq!(heard.contents(), kept);
        assert_eq!(heard.summary.dropped_bytes, dropped);
        assert!(heard.text.ends_with("\n\n"));
    }
}

#[tokio::test]
async fn an_error_that_is_passed_on_is_searched_for_secrets_however_it_is_coded() {
    let said = |key: &str, size: usize| {
        let words = "words ".repeat(size / 6);
        format!(r#"{{"error":"{words} key {key} is bad"}}"#)
    };
    let plain = |text: &str| text.as_bytes().to_vec();
    let wide = |text: &str| text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let gzip = |text: &str| {
        let mut gzip = GzEncoder::new(Vec::new(), Compression::fast());
        gzip.write_all(text.as_bytes()).unwrap();
        gzip.finish().unwrap()
    };
    type Coder<'a> = &'a dyn Fn(&str) -> Vec<u8>;
    let cases: [(&str, Coder<'_>, Coder<'_>); 3] = [
        ("content-type: application/json", &plain, &plain),
        ("content-type: text/plain; charset=utf-16le", &wide, &wide),
        ("content-encoding: gzip", &gzip, &plain),
    ];
    for (head, sent, heard) in cases {
        // one that is held whole, and one that is passed on as it comes
        for size in [6, 1 << 18] {
            let body = sent(&said("SK-secret-1", size));
            let base = provider_that_says("400 Bad Request", head, body);
            let mut spec = TargetSpec::new("t", base);
            spec.auth = Auth::Key("sk-secret-1".into());
            let pools = Pools::new();
            let upstreams = Upstreams::new(vec![spec], &pools).unwrap();
            let ask = Ask {
                surface: Surface::Passthrough,
                place: Some((Method::GET, "/files/f".into())),
                ..Ask::stream("")
            };
            let answer = attempt(&upstreams, &ask, &Progress::new()).await.unwrap();
            let told = read(answer).await.complete().text;
            let clean = heard(&said("[redacted]", size));
            assert!(told.as_bytes() == clean, "{head}: {size}");
        }
    }
}
