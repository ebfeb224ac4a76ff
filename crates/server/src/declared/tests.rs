use super::*;
use std::time::UNIX_EPOCH;
use tokio::time::Instant;

const NOW_MS: u64 = 1_769_896_799_500;

fn now() -> SystemTime {
    UNIX_EPOCH + Duration::from_millis(NOW_MS)
}

fn headers(pairs: &[(&'static str, &str)]) -> HeaderMap {
    let mut map = HeaderMap::new();
    for (name, value) in pairs {
        map.append(*name, HeaderValue::from_bytes(value.as_bytes()).unwrap());
    }
    map
}

fn read(pairs: &[(&'static str, &str)]) -> Result<Declared, Unusable> {
    Declared::read(&headers(pairs), false, false, now)
}

/// The whole request's budget in ms and who set it, for a unary request or a stream.
fn bound(pairs: &[(&'static str, &str)], stream: bool) -> Option<(u128, &'static str)> {
    let declared = read(pairs).unwrap();
    let mut deadline = Deadline::starting(Instant::now());
    declared.bind(&mut deadline);
    declared.bind_kind(&mut deadline, stream);
    Some((deadline.budget()?.as_millis(), deadline.source()?.header()?))
}

#[test]
fn ours_lose_nothing_and_the_smallest_wins() {
    assert_eq!(
        bound(
            &[
                ("x-request-deadline-ms", "600"),
                ("x-request-timeout-ms", "300")
            ],
            false
        ),
        Some((300, "x-request-timeout-ms"))
    );
    assert_eq!(
        bound(
            &[
                ("x-request-deadline-ms", "600"),
                ("x-request-deadline-ms", "250.75")
            ],
            true
        ),
        Some((250, "x-request-deadline-ms"))
    );
    assert_eq!(bound(&[("x-request-deadline-ms", "0")], false), None);
    assert_eq!(bound(&[("x-request-deadline-ms", "0.000")], false), None);
    assert_eq!(bound(&[], false), None);
}

#[test]
fn a_header_of_ours_that_cannot_be_read_is_named_with_its_value() {
    for bad in [
        "abc",
        "1e3",
        "inf",
        "",
        "1,2",
        "12345678901",
        "NaN",
        "+5",
        "1.",
        ".5",
        "1 2",
        "--5",
        "ä",
    ] {
        let message = read(&[("x-request-deadline-ms", bad)]).unwrap_err().message;
        assert!(
            message.contains("x-request-deadline-ms") && message.contains(bad),
            "{message}"
        );
    }
    let instant = read(&[("x-request-deadline-ms", "1769896799500")]);
    let message = instant.unwrap_err().message;
    assert!(message.contains("x-request-deadline-at"), "{message}");
    for (bad, why) in [
        ("1769896799", "looks like seconds"),
        ("17698967995000", "13 digits"),
        ("-1769896799500", "13 digits"),
        ("2026-01-31T23:59:59", "offset"),
        ("1769983199501", "24 hours"),
        ("tomorrow", "RFC 3339"),
    ] {
        let message = read(&[("x-request-deadline-at", bad)]).unwrap_err().message;
        assert!(message.contains(why), "{bad}: {message}");
    }
    let usable_beside_it = [
        ("x-request-deadline-ms", "5"),
        ("x-request-timeout-ms", "abc"),
    ];
    assert!(read(&usable_beside_it).is_err());
}

#[test]
fn the_agent_proxy_mode_ignores_and_counts_them() {
    let junk = headers(&[
        ("x-request-deadline-ms", "abc"),
        ("x-request-deadline-at", "1"),
    ]);
    let declared = Declared::read(&junk, false, true, now).unwrap();
    let ignored: Vec<_> = declared.ignored().collect();
    assert_eq!(declared.total, None);
    assert_eq!(ignored, ["x-request-deadline-ms", "x-request-deadline-at"]);
}

#[test]
fn a_time_that_is_over_leaves_nothing() {
    for spent in [
        ("x-request-deadline-ms", "-5"),
        ("x-request-timeout-ms", "-0.5"),
        ("x-request-deadline-at", "1769896799499"),
        ("x-request-deadline-at", "2026-01-31T21:59:59Z"),
    ] {
        assert_eq!(bound(&[spent], false), Some((0, spent.0)), "{spent:?}");
    }
}

#[test]
fn a_point_in_time_is_measured_from_now() {
    let at = (NOW_MS + 1500).to_string();
    assert_eq!(
        bound(&[("x-request-deadline-at", &at)], true),
        Some((1500, "x-request-deadline-at"))
    );
    let date = [("x-request-deadline-at", "2026-02-01T00:00:00+02:00")];
    assert_eq!(bound(&date, true), Some((500, "x-request-deadline-at")));
}

#[test]
fn a_mirrored_timer_loses_its_margin() {
    for (seconds, ms) in [
        ("600", 599_000),
        ("10", 9_800),
        ("2", 1_900),
        ("0.2", 150),
        ("895.0", 894_000),
    ] {
        let found = bound(&[("x-litellm-timeout", seconds)], true);
        assert_eq!(found, Some((ms, "x-litellm-timeout")), "{seconds}");
    }
    assert_eq!(bound(&[("grpc-timeout", "10S")], false).unwrap().0, 9_800);
    assert_eq!(bound(&[("grpc-timeout", "2M")], false).unwrap().0, 119_000);
    assert_eq!(
        bound(&[("connect-timeout-ms", "10000")], false).unwrap().0,
        9_800
    );
    assert_eq!(
        bound(&[("x-uipath-llmgateway-timeoutseconds", "895")], true)
            .unwrap()
            .0,
        894_000
    );
}

#[test]
fn what_an_sdk_sends_by_itself_binds_unary_requests_and_paces_streams() {
    let sdk = [
        ("x-stainless-timeout", "600"),
        ("x-stainless-read-timeout", "60"),
    ];
    assert_eq!(
        bound(&sdk, false),
        Some((59_000, "x-stainless-read-timeout"))
    );
    assert_eq!(bound(&sdk, true), None);
    assert_eq!(read(&sdk).unwrap().silence(), Some(Duration::from_secs(60)));
    let stream = [("x-litellm-stream-timeout", "10")];
    assert_eq!(
        bound(&stream, true),
        Some((9_800, "x-litellm-stream-timeout"))
    );
    assert_eq!(bound(&stream, false), None);
    assert_eq!(
        read(&stream).unwrap().silence(),
        Some(Duration::from_secs(10))
    );
}

#[test]
fn foreign_text_means_absent() {
    for text in [
        "NOT_GIVEN",
        "None",
        "-1",
        "0",
        "",
        "1e3",
        "1,2",
        "99999999999",
    ] {
        assert_eq!(
            bound(&[("x-stainless-timeout", text)], false),
            None,
            "{text}"
        );
        assert_eq!(bound(&[("x-litellm-timeout", text)], false), None, "{text}");
    }
    for text in ["5", "5s", "S", "123456789S", "0S", "-1S", "5Ж"] {
        assert_eq!(bound(&[("grpc-timeout", text)], false), None, "{text}");
    }
}

#[test]
fn a_mesh_is_believed_from_trusted_peers_only() {
    let map = headers(&[
        ("x-envoy-expected-rq-timeout-ms", "10000"),
        ("l5d-timeout", "5s"),
    ]);
    assert_eq!(
        Declared::read(&map, false, false, now).unwrap(),
        Declared::default()
    );
    let declared = Declared::read(&map, true, false, now).unwrap();
    assert_eq!(
        declared.total,
        Some((Duration::from_millis(4900), Source::Header("l5d-timeout")))
    );
    for (text, ms) in [("500ms", 400), ("1m", 59_000), ("1.5s", 1_400)] {
        let one = Declared::read(&headers(&[("l5d-timeout", text)]), true, false, now).unwrap();
        assert_eq!(one.total.unwrap().0.as_millis(), ms, "{text}");
    }
    let junk = Declared::read(&headers(&[("l5d-timeout", "soon")]), true, false, now);
    assert_eq!(junk.unwrap(), Declared::default());
}

#[test]
fn every_header_of_the_table_is_lower_case_and_said_once() {
    let mut names: Vec<_> = TABLE.iter().map(|d| d.name).collect();
    assert!(names.iter().all(|n| *n == n.to_ascii_lowercase()));
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), TABLE.len());
}

#[test]
fn every_header_is_documented_with_its_unit_and_margin() {
    let page = include_str!("../../../../docs/deadlines.md");
    for d in &TABLE {
        let begin = format!("| `{}` |", d.name);
        let row = page
            .lines()
            .find(|l| l.to_ascii_lowercase().starts_with(&begin));
        let row = row.unwrap_or_else(|| panic!("{} has no row in docs/deadlines.md", d.name));
        let cells: Vec<_> = row.split('|').map(str::trim).collect();
        let unit = match d.unit {
            Unit::Millis => "ms",
            Unit::Seconds => "s",
            Unit::At => "point in time",
            Unit::Grpc => "digits and",
            Unit::Suffixed => "`500ms`",
        };
        let limits = match d.feeds {
            Feeds::Total => "the request",
            Feeds::FirstContent => "streams, to the first content",
            Feeds::Read => "requests that are not streamed",
        };
        assert!(cells[2].starts_with(unit), "{}: {row}", d.name);
        assert_eq!(
            (cells[3], cells[4]),
            (limits, if d.ours { "no" } else { "yes" }),
            "{row}"
        );
        assert_eq!(cells[5].starts_with("strict"), d.ours, "{row}");
        assert_eq!(cells[5].contains("trusted_peers"), d.trusted, "{row}");
    }
}
