//! What cannot be is a typed error, not a panic.

use crate::support::*;
use punctual::{Call, Client, Code, Fallback, RoundRobin, openai};

#[tokio::test(start_paused = true)]
async fn an_empty_list_is_a_typed_error_wherever_it_stands() {
    let log = Log::default();
    let none: Vec<Fake> = Vec::new();
    for stream in [false, true] {
        for client in [
            Fallback::new(none.clone()).node(),
            RoundRobin::new(none.clone()).node(),
            Fallback::new((good(&log, "a"), RoundRobin::new(none.clone()))).node(),
        ] {
            let came = ask(&client, &hi(), stream).await;
            assert_eq!(came.error().reason(), Some("empty_list"));
            assert_eq!(came.error().fault(), punctual::Fault::Caller);
        }
        assert_eq!(order(&log), "");
    }
}

#[tokio::test(start_paused = true)]
async fn a_member_that_cannot_stream_is_a_typed_error_that_a_fallback_passes() {
    let log = Log::default();
    let a = || good(&log, "a").whole_only();
    let came = ask(&a(), &hi(), true).await;
    assert_eq!(came.error().reason(), Some("member_cannot_stream"));
    assert_eq!(
        ask(&Fallback::new((a(), good(&log, "b"))), &hi(), true)
            .await
            .text(),
        "b"
    );
    let came = ask(&openai::Image::new("m").key("k"), &hi(), true).await;
    assert_eq!(came.error().reason(), Some("member_cannot_stream"));
}

#[tokio::test(start_paused = true)]
async fn a_missing_key_is_a_typed_failure_that_a_fallback_passes() {
    let log = Log::default();
    for stream in [false, true] {
        let keyless = openai::Chat::new("m").key_from("PUNCTUAL_TEST_NO_SUCH_KEY");
        let came = ask(&keyless, &hi(), stream).await;
        let error = came.error();
        assert_eq!(
            (error.kind(), error.reason()),
            (Code::Unauthorized, Some("missing_credential"))
        );
        assert!(error.to_string().contains("PUNCTUAL_TEST_NO_SUCH_KEY"));
        let plan = Fallback::new((retry(keyless, 3), good(&log, "b")));
        let came = ask(&plan, &hi(), stream).await;
        assert_eq!((came.text(), came.records.len()), ("b", 2));
    }
}

#[tokio::test(start_paused = true)]
async fn what_cannot_be_sent_fails_before_anything_is_sent() {
    let client = openai::Chat::new("m").key("k");
    for (client, call, word) in [
        (
            client.clone(),
            hi().header("a b", "c"),
            r#"the header "a b" of the call cannot be sent; a name has"#,
        ),
        (
            client.clone(),
            Call::new().tool("f", "d", "{"),
            r#"the tool f are not JSON; write a JSON schema, such as {"#,
        ),
        (
            client.clone().header("x\n", "y"),
            hi(),
            r#"the header "x\n" of openai/m cannot be sent; a name has"#,
        ),
        (
            client.clone().forward_header("x y"),
            hi(),
            r#""x y" is no name of a header, so openai/m cannot"#,
        ),
        (client.clone().extra_body("[1]"), hi(), "extra body"),
        (client.clone().extra_body("{"), hi(), "extra body"),
        (client.clone().base_url("ftp://x"), hi(), "base_url"),
        (client.clone().key("a\nb"), hi(), "api_key"),
    ] {
        for stream in [false, true] {
            let came = ask(&client, &call, stream).await;
            let text = came.error().to_string();
            assert!(text.contains(word), "{word}: {text}");
            assert_eq!(came.error().sent(), punctual::Sent::No);
        }
    }
}
