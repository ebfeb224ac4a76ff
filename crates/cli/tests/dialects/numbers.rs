//! The count of a Responses stream: an error of ours goes on with it, whatever the upstream's count is like.
//! That it does so for every failure in front of every dialect is held by [`crate::voices`].

use crate::{
    faults::{stage, streamed},
    peers::Peer,
    stage::beside,
    voices::{Voice, events},
};
use punctual_sim::Cuts;

/// Two events that a stream may begin with, whatever follows them.
const BEGUN: &str = "event: response.created\ndata: {\"type\":\"response.created\",\"sequence_number\":5,\"response\":{\"id\":\"resp_1\",\"model\":\"m\",\"metadata\":{\"sequence_number\":\"70\"}}}\n\n\
    event: response.output_text.delta\ndata: {\"type\":\"response.output_text.delta\",\"item_id\":\"i\",\"output_index\":0,\"content_index\":0,\"delta\":\"a \\\"sequence_number\\\":80\", \"sequence_number\": 6}\n\n";

#[test]
fn an_error_goes_on_with_the_count_that_the_caller_was_given() {
    beside(async {
        for (what, more, number) in [
            ("a count that does not begin at 0", "", 7),
            ("a comment behind", ": hm\n\n", 7),
            (
                "a keepalive",
                "data: {\"type\":\"keepalive\",\"sequence_number\":7}\n\n",
                8,
            ),
            ("what cannot be read", "data: {{\n\n", 7),
            (
                "an event without a number",
                "data: {\"type\":\"response.odd\"}\n\n",
                7,
            ),
            (
                "an error of the upstream's",
                "event: error\ndata: {\"type\":\"error\",\"sequence_number\":7,\"message\":\"no\"}\n\n",
                7,
            ),
            (
                "an event that is cut",
                "data: {\"type\":\"response.odd\",\"sequence_number\":7",
                7,
            ),
        ] {
            for cuts in [Cuts::Whole, Cuts::EveryByte] {
                let stage = stage("").await;
                let script = streamed("text/event-stream", format!("{BEGUN}{more}"), cuts);
                let (answer, _) = stage.hear(Peer::Responses, Voice::Responses, script).await;
                let last = events(&answer).pop().unwrap().json();
                assert_eq!(last["type"], "error", "{what}: {}", answer.text());
                assert_eq!(last["sequence_number"], number, "{what}: {}", answer.text());
            }
        }
    });
}
