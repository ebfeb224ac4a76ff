//! What happens when several things are ready in the same instant.

use crate::support::*;
use punctual_core::*;
use std::sync::Arc;

#[tokio::test(start_paused = true)]
async fn a_deadline_and_a_clock_in_the_same_instant_are_the_deadline() {
    let b = Bench::new(vec![(first_token(200), vec![vec![Hang]]), (none(), good())])
        .within(200)
        .edit(|t| t[0].reserve = Reserve::None);
    let f = b.run(&fallback([leaf(0), leaf(1)])).await.unwrap_err();
    assert_eq!((f.code, b.order().as_str()), (Code::DeadlineExceeded, "a"));
}

#[tokio::test(start_paused = true)]
async fn a_complete_answer_wins_over_the_deadline_of_the_same_instant() {
    let b = Bench::new(vec![(none(), vec![vec![Wait(199), Head, Text("paid")]])])
        .within(200)
        .unary();
    assert_eq!(b.run(&leaf(0)).await.unwrap(), "paid");
}

#[tokio::test(start_paused = true)]
async fn a_stream_that_begins_in_the_instant_of_its_deadline_is_one_outcome() {
    // timers of the engine are a millisecond early
    for begins in 197..=200 {
        let script = vec![Wait(begins), Head, Text("x;"), Hang];
        let b = Bench::new(vec![(none(), vec![script])]).within(200);
        let told = match b.open(&leaf(0)).await {
            Err(refused) => refused.failure.code.as_str().to_owned(),
            Ok(open) => {
                let relay = Relay::answer(open, Arc::new(Text_), Pace::default());
                let vigil = Vigil::default();
                vigil.watch(relay.watched());
                tokio::select! {
                    told = read(relay) => told,
                    () = vigil.run(|| among(0)) => panic!("it is read"),
                }
            }
        };
        let error = "<error request_deadline_exceeded>";
        let begun = [format!("x;{error}"), error.to_owned()];
        let refused = begins == 200 && told == "request_deadline_exceeded";
        assert!(refused || begun.contains(&told), "{begins}: {told}");
        assert_eq!(b.lines.report().outcome, Some(Outcome::DeadlineExceeded));
        assert!(b.idle(), "{begins}");
    }
}
