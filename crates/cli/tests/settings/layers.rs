//! The nearest layer wins: leaf over target over provider over defaults, and the environment over defaults.

use crate::{
    stage::{Stage, cut},
    support::Request,
};

/// One value per layer, as far as it is there; what holds is the first.
fn layered(layers: [Option<&str>; 4]) -> String {
    let said = |n: usize| layers[n].unwrap_or_default();
    format!(
        r#"
defaults: {{ {} }}
providers: {{ sim: {{ dialect: openai, base_url: "{{upstream}}/v1", api_key: sk-test, {} }} }}
targets: {{ t: {{ provider: sim, model: "sim:silent-headers", {} }}, u: {{ provider: sim, model: u }} }}
routes: {{ r: {{ plan: {{ use: t, {} }} }}, "*": {{ plan: u }} }}
"#,
        said(3),
        said(2),
        said(1),
        said(0)
    )
}

#[test]
fn a_clock_of_the_nearest_layer_wins() {
    let lengths = [200, 250, 300, 350];
    let texts = lengths.map(|ms| format!("first_token_timeout: {ms}ms"));
    for (nearest, length) in lengths.into_iter().enumerate() {
        let layers: Vec<_> = (0..4)
            .map(|n| (n >= nearest).then_some(texts[n].as_str()))
            .collect();
        let stage = Stage::start(&layered(layers.try_into().unwrap()), &[], |_| {});
        let answer = stage.chat("r", true);
        assert!(
            cut(&answer, "first_token_timeout", length),
            "{nearest}: {}",
            stage.story()
        );
    }
}

#[test]
fn a_limit_that_is_off_at_a_near_layer_is_off() {
    let layers = [
        Some("first_token_timeout: none, timeout: 400ms"),
        None,
        None,
        Some("first_token_timeout: 100ms"),
    ];
    let stage = Stage::start(&layered(layers), &[], |_| {});
    assert!(
        cut(&stage.chat("r", true), "timeout", 400),
        "{}",
        stage.story()
    );
}

#[test]
fn a_setting_of_the_nearest_layer_wins() {
    for (layers, expected) in [
        (
            [
                None,
                Some("headers: { x-layer: target }"),
                Some("headers: { x-layer: provider }"),
                Some("headers: { x-layer: defaults }"),
            ],
            "target",
        ),
        (
            [
                None,
                None,
                Some("headers: { x-layer: provider }"),
                Some("headers: { x-layer: defaults }"),
            ],
            "provider",
        ),
        (
            [None, None, None, Some("headers: { x-layer: defaults }")],
            "defaults",
        ),
    ] {
        let stage = Stage::start(&layered(layers), &[], |_| {});
        let _caller = stage.begin(&Request::chat("r", false));
        assert!(stage.arrived(1));
        assert_eq!(stage.forwarded("x-layer").as_deref(), Some(expected));
    }
}

#[test]
fn both_names_of_the_whole_limit_are_one_key() {
    let stage = Stage::start(
        &layered([None, Some("timeouts: 300ms"), None, Some("timeout: 100ms")]),
        &[],
        |_| {},
    );
    assert!(
        cut(&stage.chat("r", false), "timeout", 300),
        "{}",
        stage.story()
    );
}

#[test]
fn the_environments_timeout_goes_over_defaults_and_under_targets() {
    let env = [("PROXY_REQUEST_TIMEOUT", "0.3")];
    let stage = Stage::start(
        &layered([None, None, None, Some("timeout: 100ms")]),
        &env,
        |_| {},
    );
    assert!(
        cut(&stage.chat("r", false), "timeout", 300),
        "{}",
        stage.story()
    );
    let stage = Stage::start(
        &layered([None, Some("timeout: 200ms"), None, None]),
        &env,
        |_| {},
    );
    assert!(
        cut(&stage.chat("r", false), "timeout", 200),
        "{}",
        stage.story()
    );
}
