//! Answers that go well, over every way to an upstream.

use crate::support::{Ask, Bench, HTTP1, WAYS, next};
use punctual_core::{Code, End, Kind, Pieces, Progress, Sent, Surface};
use punctual_sim::{Cuts, Script};

#[tokio::test]
async fn a_stream_is_relayed_byte_for_byte_and_judged_on_every_way() {
    for way in WAYS {
        let bench = Bench::new(way).await;
        let heard = bench.hear(&Ask::stream("sim:tokens=4")).await.complete();
        assert_eq!(heard.contents(), 4, "{way:?}");
        assert_eq!(heard.end(), Some(End::Stop));
        assert_eq!(heard.summary.finish.as_deref(), Some("stop"));
        assert_eq!(heard.summary.content_events, 4);
        assert!(heard.text.ends_with("data: [DONE]\n\n"), "{}", heard.text);
        assert!(matches!(heard.pieces.last().unwrap().1.kind, Kind::Done));
    }
}

#[tokio::test]
async fn a_unary_answer_is_one_piece_on_every_way() {
    for way in WAYS {
        let bench = Bench::new(way).await;
        for script in ["sim:tokens=3", "sim:tokens=3,chunked"] {
            let heard = bench.hear(&Ask::unary(script)).await.complete();
            assert_eq!(heard.pieces.len(), 1);
            assert_eq!(heard.contents(), 1);
            assert!(heard.summary.usage.output_tokens.is_some());
            assert!(heard.text.starts_with('{') && heard.text.ends_with('}'));
        }
    }
}

#[tokio::test]
async fn every_surface_has_its_path() {
    let bench = Bench::new(HTTP1).await;
    for (surface, path) in [
        (Surface::Chat, "/v1/chat/completions"),
        (Surface::Completions, "/v1/completions"),
        (Surface::Embeddings, "/v1/embeddings"),
    ] {
        let mut ask = Ask::unary("m");
        ask.surface = surface;
        bench.hear(&ask).await.complete();
        assert_eq!(bench.seen(|_| true).await.path, path);
    }
}

#[tokio::test]
async fn progress_tells_how_far_it_came() {
    for way in WAYS {
        let bench = Bench::new(way).await;
        let progress = Progress::new();
        let answer = bench
            .send_noting(&Ask::unary("m"), &progress)
            .await
            .unwrap();
        assert!(progress.is_connected() && progress.has_headers() && !progress.reused());
        assert_eq!(progress.sent(), Sent::Yes);
        assert_eq!(progress.tls_time().is_some(), way.tls, "{way:?}");
        assert_eq!(answer.head().status, 200);
    }
}

#[tokio::test]
async fn a_json_answer_to_a_stream_becomes_one() {
    let bench = Bench::new(HTTP1).await;
    let ask = Ask::stream("sim:tokens=3,json-for-stream");
    let answer = bench.send(&ask).await.unwrap();
    assert_eq!(answer.head().headers["content-type"], "text/event-stream");
    let heard = crate::support::read(answer).await.complete();
    assert_eq!(heard.contents(), 1);
    assert!(heard.text.starts_with("data: {") && heard.text.ends_with("data: [DONE]\n\n"));
}

#[tokio::test]
async fn a_stream_is_known_under_any_label() {
    let bench = Bench::new(HTTP1).await;
    for script in [
        "sim:tokens=3,sse-as-json",
        "sim:tokens=3,crlf",
        "sim:tokens=3,cr",
    ] {
        let heard = bench.hear(&Ask::stream(script)).await.complete();
        assert_eq!(heard.contents(), 3, "{script}");
    }
}

#[tokio::test]
async fn what_is_no_answer_at_all_is_malformed() {
    let bench = Bench::new(HTTP1).await;
    for ask in [
        Ask::stream("sim:html"),
        Ask::unary("sim:html"),
        Ask::unary("sim:malformed-json"),
        Ask::unary("sim:stream-for-json"),
        Ask::unary("sim:empty"),
        Ask::unary("sim:status=204,empty"),
    ] {
        assert_eq!(
            bench.fails(&ask).await.code,
            Code::MalformedResponse,
            "{}",
            ask.model
        );
    }
}

#[tokio::test]
async fn a_tool_call_without_arguments_is_content_also_when_only_done_ends_it() {
    let bench = Bench::new(HTTP1).await;
    let body = "data: {\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"c\",\"type\":\"function\",\"function\":{\"name\":\"f\",\"arguments\":\"\"}}]}}]}\n\ndata: [DONE]\n\n";
    bench.sim.set("tool", crate::support::body(body, ""));
    let heard = bench.hear(&Ask::stream("tool")).await.complete();
    assert_eq!(heard.contents(), 1);
    assert_eq!(heard.text, body);
    assert!(matches!(heard.pieces.last().unwrap().1.kind, Kind::Done));
}

#[tokio::test]
async fn injected_usage_is_counted_and_left_out_unless_asked_for() {
    let inject = |spec: &mut punctual_upstream::TargetSpec| {
        spec.usage = punctual_upstream::UsageRule::Inject;
    };
    let bench = Bench::with(HTTP1, punctual_sim::Listen::loopback(), inject).await;
    let mut ask = Ask::stream("sim:tokens=2,usage");
    let heard = bench.hear(&ask).await.complete();
    let sent = bench.seen(|_| true).await.body;
    assert!(String::from_utf8_lossy(&sent).contains("\"include_usage\":true"));
    assert!(heard.summary.usage.output_tokens.is_some());
    assert!(!heard.text.contains("\"usage\":{"), "{}", heard.text);
    ask.include_usage = true;
    let heard = bench.hear(&ask).await.complete();
    assert!(heard.text.contains("\"usage\":{"), "{}", heard.text);
}

#[tokio::test]
async fn large_bodies_go_both_ways_with_their_length() {
    for way in WAYS {
        let bench = Bench::new(way).await;
        let mut ask = Ask::unary("sim:huge-event=3MiB");
        ask.padding = 5 << 20;
        let heard = bench.hear(&ask).await.complete();
        assert!(heard.text.len() > 3 << 20);
        let seen = bench.seen(|_| true).await;
        assert!(seen.body.len() > 5 << 20);
        assert_eq!(
            seen.header("content-length").unwrap(),
            seen.body.len().to_string()
        );
        assert_eq!(seen.header("transfer-encoding"), None);
    }
}

#[tokio::test]
async fn a_piece_is_there_before_the_next_one_is_sent() {
    for way in WAYS {
        let bench = Bench::new(way).await;
        let mut answer = bench
            .send(&Ask::stream("sim:tokens=3,stall-after=1"))
            .await
            .unwrap();
        loop {
            let piece = next(&mut answer).await.unwrap().unwrap();
            if matches!(piece.kind, Kind::Content { text: true }) {
                break;
            }
        }
    }
}

#[tokio::test]
async fn whatever_bytes_come_an_attempt_ends_without_a_panic() {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base = format!("http://{}", listener.local_addr().unwrap());
    let wild = |spec: &mut punctual_upstream::TargetSpec| spec.endpoint.base_url = base;
    let bench = Bench::with(HTTP1, punctual_sim::Listen::loopback(), wild).await;
    let heads = [
        "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n",
        "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n4\r\ndata\r\n",
        "HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\n\r\n\x1f",
        "HTTP/1.1 200 OK\r\ncontent-encoding: deflate\r\ncontent-length: 40\r\n\r\n",
        "HTTP/1.1 429 Slow\r\nretry-after: 99999999999999999999\r\n\r\n{\"error\":",
        "HTTP/1.1 101 Up\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n",
        "HTTP/1.1 100 Go\r\n\r\nHTTP/1.1 200 OK\r\n\r\ndata: {\"choices\":[",
        "HTTP/9.9 999 ?\r\n\r\n",
        "",
    ];
    let mut tasks = tokio::task::JoinSet::new();
    tasks.spawn(async move {
        let mut nth = 0_usize;
        while let Ok((mut tcp, _)) = listener.accept().await {
            let mut read = [0; 4096];
            let _ = tcp.read(&mut read).await;
            let mut bytes = heads[nth % heads.len()].as_bytes().to_vec();
            // a fixed scramble, so that a failure can be had again
            let noise = |i: usize| (nth.wrapping_mul(31).wrapping_add(i * i * 7) % 256) as u8;
            bytes.extend((0..nth % 200).map(noise));
            if nth.is_multiple_of(3) && !bytes.is_empty() {
                let at = nth * 13 % bytes.len();
                bytes[at] = noise(at);
            }
            let _ = tcp.write_all(&bytes).await;
            nth += 1;
        }
    });
    for nth in 0..400 {
        let ask = if nth % 2 == 0 {
            Ask::stream("m")
        } else {
            Ask::unary("m")
        };
        bench.hear(&ask).await;
    }
}

#[tokio::test]
async fn a_line_feed_stays_with_the_event_whose_blank_line_it_completes() {
    let bench = Bench::new(HTTP1).await;
    let data =
        "data: {\"choices\":[{\"delta\":{\"content\":\"a\"},\"finish_reason\":\"stop\"}]}\r\n\r\n";
    let stream = format!(": wake\r\n\r\n{data}: bye\r\n\r\ndata: [DONE]\r\n\r\n");
    bench.sim.set(
        "crlf",
        Script::raw(
            200,
            "text/event-stream",
            &[],
            stream.clone(),
            Cuts::EveryByte,
        )
        .with("gap=1ms")
        .unwrap(),
    );
    let heard = bench.hear(&Ask::stream("crlf")).await.complete();
    assert_eq!(heard.text, stream);
    let kept = heard
        .pieces
        .iter()
        .filter(|(_, p)| !matches!(p.kind, Kind::Comment));
    let kept: Vec<_> = kept.map(|(_, p)| p.bytes.first()).collect();
    assert_eq!(
        kept,
        [Some(&b'd'); 2],
        "no line feed of a comment leads an event"
    );
}
