//! A provider refuses the request itself.

use crate::support::*;
use punctual::{Code, Fallback};

const REFUSALS: [Code; 3] = [
    Code::InvalidRequest,
    Code::ContextLengthExceeded,
    Code::ContentRefused,
];

#[tokio::test(start_paused = true)]
async fn a_4xx_stops_a_retry_and_a_fallback_goes_on_unless_told_otherwise() {
    let log = Log::default();
    for stream in [false, true] {
        for code in REFUSALS {
            let a = retry(bad(&log, "a", code), 3);
            let went_on = Fallback::new((a.clone(), good(&log, "b")));
            assert_eq!(ask(&went_on, &hi(), stream).await.text(), "b");
            assert_eq!(order(&log), "ab");
            let stops = went_on.on_refusals(false);
            let came = ask(&stops, &hi(), stream).await;
            assert_eq!((came.error().kind(), order(&log).as_str()), (code, "a"));
        }
        for code in [Code::Unauthorized, Code::NotFound, Code::QuotaExhausted] {
            let a = retry(bad(&log, "a", code), 3);
            assert_eq!(
                ask(&Fallback::new((a, good(&log, "b"))), &hi(), stream)
                    .await
                    .text(),
                "b"
            );
            assert_eq!(order(&log), "ab");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn the_last_members_refusal_is_the_error_with_its_status() {
    let log = Log::default();
    for stream in [false, true] {
        let b = fake(&log, "b", &[&[Status(Code::InvalidRequest, 422)]]);
        let plan = Fallback::new((bad(&log, "a", Code::ServerError), b));
        let came = ask(&plan, &hi(), stream).await;
        let error = came.error();
        assert_eq!(error.status().map(|s| s.as_u16()), Some(422));
        assert_eq!(error.fault(), punctual::Fault::Caller);
        assert!(!error.may_be_tried_again());
    }
}
