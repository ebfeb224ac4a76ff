use super::*;
use crate::{Environment, check_text};

fn config(routes: &str) -> Config {
    let text = format!(
        "providers: {{ p: {{ dialect: generic, base_url: http://127.0.0.1:1/v1 }} }}\n\
         targets:\n  \
           quick: {{ provider: p, model: a, first_token_timeout: 5s, unary_timeout: 8s }}\n  \
           silent: {{ provider: p, model: b }}\n  \
           narrow: {{ provider: p, model: c, timeout: 4s, max_concurrency: 1 }}\n  \
           once: {{ provider: p, model: d, timeout: 4s, replay_timeouts: false }}\n\
         routes:\n  used: {{ plan: [quick, silent, narrow, once] }}\n{routes}"
    );
    let checked = check_text("p.yaml", &text, &Environment::default());
    checked
        .into_result()
        .map_err(|p| crate::render(&p))
        .unwrap()
        .0
}

fn ladder(route: &str) -> Ladder {
    config(&format!("  r: {route}\n"))
        .ladders()
        .into_iter()
        .find(|l| l.route == "r")
        .unwrap()
}

fn rows(c: &Climb) -> Vec<(String, u64, Option<u64>, Cut)> {
    c.rungs
        .iter()
        .map(|r| {
            (
                r.name.clone(),
                r.starts.as_secs(),
                r.ends.map(|d| d.as_secs()),
                r.cut,
            )
        })
        .collect()
}

fn row(name: &str, starts: u64, ends: u64, cut: Cut) -> (String, u64, Option<u64>, Cut) {
    (name.to_owned(), starts, Some(ends), cut)
}

#[test]
fn each_member_is_cut_by_the_clock_that_comes_first() {
    let l = ladder("{ deadline: 60s, plan: [quick, silent, quick, narrow] }");
    assert_eq!(
        rows(&l.streamed),
        [
            row("quick", 0, 5, Cut::Clock(Clock::FirstToken)),
            // 55 s are left, and 10 are kept for the one member that can still follow
            row("silent", 5, 50, Cut::Clock(Clock::Reserve)),
            row("narrow", 50, 60, Cut::Deadline),
        ]
    );
    assert_eq!(l.unary.rungs[0].cut, Cut::Clock(Clock::Unary));
    assert_eq!(l.streamed.worst, Some(Duration::from_secs(60)));
}

#[test]
fn retries_add_their_pauses_at_the_bound() {
    let l = ladder(
        "{ plan: { retry: { of: quick, max_attempts: 3, initial: 2s, multiplier: 3, max: 4s } } }",
    );
    let fires = Cut::Clock(Clock::FirstToken);
    assert_eq!(
        rows(&l.streamed),
        [
            row("quick", 0, 5, fires),
            row("quick", 7, 12, fires),
            row("quick", 16, 21, fires)
        ]
    );
    assert_eq!(l.deadline, None);
}

#[test]
fn a_silent_member_that_must_not_be_replayed_ends_the_plan() {
    let l = ladder("{ plan: [once, quick] }");
    assert_eq!(
        rows(&l.streamed),
        [row("once", 0, 4, Cut::Clock(Clock::Attempt))]
    );
}

#[test]
fn a_queue_is_part_of_the_worst_case() {
    let l = ladder("{ plan: [narrow, quick] }");
    assert_eq!(l.streamed.rungs[0].queued, Some(Duration::from_secs(10)));
    assert_eq!(
        rows(&l.streamed)[0],
        row("narrow", 0, 14, Cut::Clock(Clock::Attempt))
    );
    let alone = ladder("{ plan: narrow }");
    assert_eq!(
        (alone.streamed.worst, alone.streamed.rungs[0].queued),
        (None, None)
    );
    let told = alone.to_string();
    assert!(
        told.contains("nothing: the wait for a permit has no max_queue_wait"),
        "{told}"
    );
    let alone = ladder("{ plan: narrow, deadline: 9s }");
    assert_eq!(alone.streamed.worst, Some(Duration::from_secs(9)));
    let told = alone.to_string();
    assert!(
        told.contains("deadline, after a queue without a limit"),
        "{told}"
    );
}

#[test]
fn a_round_robin_is_as_slow_as_its_slowest_start() {
    let l = ladder("{ plan: { round_robin: [quick, { use: quick, first_token_timeout: 7s }] } }");
    assert_eq!(l.streamed.worst, Some(Duration::from_secs(7)));
}

#[test]
fn it_is_shown_as_a_table_and_as_json() {
    let c = config("  r: { deadline: 60s, plan: [quick, narrow] }\n");
    let text = render(&c);
    let r = text
        .split("\n\n")
        .find(|t| t.starts_with("route r"))
        .unwrap();
    insta::assert_snapshot!(r);
    assert_eq!(json(&c)[0]["route"], "r");
    assert_eq!(
        json(&c)[0]["streamed"]["attempts"][0]["cut_by"],
        "first_token_timeout"
    );
}
