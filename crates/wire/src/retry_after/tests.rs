use http::HeaderName;
use proptest::prelude::*;

use super::*;

fn headers(lines: &[(&str, &str)]) -> HeaderMap {
    let mut map = HeaderMap::new();
    for (name, value) in lines {
        let name = HeaderName::from_bytes(name.as_bytes()).unwrap();
        map.append(name, HeaderValue::from_str(value).unwrap());
    }
    map
}

fn said_by(lines: &[(&str, &str)]) -> Option<Duration> {
    hint(&headers(lines), None, SystemTime::UNIX_EPOCH)
}

const MS: fn(u64) -> Option<Duration> = |ms| Some(Duration::from_millis(ms));

#[test]
fn milliseconds_come_before_seconds() {
    assert_eq!(
        said_by(&[("retry-after", "9"), ("retry-after-ms", "1500")]),
        MS(1_500)
    );
    assert_eq!(
        said_by(&[("retry-after", "9"), ("x-ms-retry-after-ms", "250.5")]),
        Some(Duration::from_micros(250_500))
    );
    assert_eq!(said_by(&[("retry-after", "1.5")]), MS(1_500));
    assert_eq!(said_by(&[("retry-after", "0")]), MS(0));
}

#[test]
fn a_bad_value_is_passed_over_for_a_good_one() {
    assert_eq!(
        said_by(&[("retry-after-ms", "-1"), ("retry-after", "2")]),
        MS(2_000)
    );
    assert_eq!(
        said_by(&[("retry-after", "soon"), ("retry-after", "3")]),
        MS(3_000)
    );
}

#[test]
fn nonsense_is_ignored_and_never_panics() {
    for value in [
        "-1",
        "NaN",
        "inf",
        "1e3",
        "",
        " ",
        "1,2",
        "0x10",
        "1.2.3",
        ".5",
        "86401",
        "99999999999999999999999",
    ] {
        for name in ["retry-after", "retry-after-ms", "x-ms-retry-after-ms"] {
            let good = name != "retry-after" && value == "86401"; // 86.401 s
            assert_eq!(said_by(&[(name, value)]).is_some(), good, "{name}: {value}");
        }
    }
}

#[test]
fn all_three_date_forms_are_measured_against_the_responses_own_date() {
    let date = ("date", "Sun, 06 Nov 1994 08:49:37 GMT");
    for at in [
        "Sun, 06 Nov 1994 08:49:39 GMT",
        "Sunday, 06-Nov-94 08:49:39 GMT",
        "Sun Nov  6 08:49:39 1994",
    ] {
        assert_eq!(said_by(&[date, ("retry-after", at)]), MS(2_000), "{at}");
    }
    assert_eq!(
        said_by(&[date, ("retry-after", "Sun, 06 Nov 1994 08:49:36 GMT")]),
        None,
        "past"
    );
    assert_eq!(
        said_by(&[("retry-after", "Thu, 01 Jan 1970 00:00:05 GMT")]),
        MS(5_000),
        "no Date: now"
    );
    assert_eq!(
        said_by(&[date, ("retry-after", "Tue, 08 Nov 1994 08:49:39 GMT")]),
        None,
        "over a day"
    );
}

#[test]
fn bodies_are_heard_when_no_header_speaks() {
    let of = |body: &str| {
        hint(
            &HeaderMap::new(),
            Some(body.as_bytes()),
            SystemTime::UNIX_EPOCH,
        )
    };
    let google = r#"{"error":{"details":[{"@type":"x"},{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"12.5s"}]}}"#;
    assert_eq!(of(google), MS(12_500));
    assert_eq!(
        of(r#"{"error":{"message":"Limit reached. Please try again in 46.72s. Visit"}}"#),
        MS(46_720)
    );
    assert_eq!(
        of(r#"{"error":{"message":"try again in 1m30s"}}"#),
        MS(90_000)
    );
    assert_eq!(of(r#"{"error":{"message":"try again in 20ms."}}"#), MS(20));
    assert_eq!(of(r#"{"retry_after":3}"#), MS(3_000));
    assert_eq!(of(r#"{"error":{"message":"try again in a while"}}"#), None);
    assert_eq!(of("<html>"), None);
    assert_eq!(of(&format!("[{google}]")), MS(12_500), "as streams have it");
    assert_eq!(of(r#"{"error":{"retry_after":"30"}}"#), MS(30_000));
    assert_eq!(of(r#"{"retry_after_ms":"250"}"#), MS(250));
}

#[test]
fn prose_is_understood_in_the_spellings_that_occur() {
    for (message, expected) in [
        ("Please try again in 5 seconds.", MS(5_000)),
        (
            "please retry after 6 seconds. To increase your limit",
            MS(6_000),
        ),
        ("Try again in 1 minute", MS(60_000)),
        ("Please retry in 12.5s.", MS(12_500)),
        ("try again in 1 minute 30 seconds", MS(90_000)),
        ("try again in 1m30.5s", MS(90_500)),
        ("try again in 250 milliseconds", MS(250)),
        ("retry after a while; try again in 2s", MS(2_000)),
        ("try again in 5", None),
        ("try again in 5 attempts", None),
        ("try again in 25 hours", None),
        ("try again in ", None),
        ("try again in -5s", None),
    ] {
        let body = serde_json::json!({ "error": { "message": message } }).to_string();
        let heard = hint(
            &HeaderMap::new(),
            Some(body.as_bytes()),
            SystemTime::UNIX_EPOCH,
        );
        assert_eq!(heard, expected, "{message}");
    }
}

#[test]
fn our_own_header_rounds_up() {
    assert_eq!(header_value(Duration::from_millis(1_001)), "2");
    assert_eq!(header_value(Duration::ZERO), "0");
    assert_eq!(header_value(Duration::MAX), u64::MAX.to_string().as_str());
}

proptest! {
    #[test]
    fn no_value_and_no_body_panics(value in "[ -~]{0,40}", body in proptest::collection::vec(any::<u8>(), 0..200)) {
        let map = headers(&[("retry-after", &value), ("retry-after-ms", &value), ("date", &value)]);
        if let Some(hint) = hint(&map, Some(&body), SystemTime::now()) {
            prop_assert!(hint <= MAX);
        }
        let text = format!(r#"{{"error":{{"message":"try again in {}"}}}}"#, value.replace(['"', '\\'], ""));
        super::hint(&HeaderMap::new(), Some(text.as_bytes()), SystemTime::now());
    }
}
