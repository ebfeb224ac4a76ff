//! The rules over services of one's own.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use http::{Request, Response, StatusCode};
use http_body_util::{BodyExt, Full, StreamBody, combinators::UnsyncBoxBody};
use punctual::{
    Backoff, Execution, ForwardDeadline,
    tower::{DeadlineLayer, Error, Fallback, RetryLayer},
};
use std::{
    convert::Infallible,
    future::{Future, poll_fn},
    pin::Pin,
    sync::{Arc, Mutex},
    task::{Context, Poll},
    time::Duration,
};
use tokio::time::{Instant, sleep};
use tower::{Layer, Service, ServiceExt};

type Body = UnsyncBoxBody<bytes::Bytes, Infallible>;

fn ms(n: u64) -> Duration {
    Duration::from_millis(n)
}

/// A service that answers with these statuses, the last one for ever, and must be made ready before each call.
#[derive(Clone)]
struct Scripted {
    statuses: Arc<Mutex<Vec<u16>>>,
    wait: Duration,
    ready_after: Duration,
    ready: bool,
    seen: Arc<Mutex<Vec<http::HeaderMap>>>,
}

fn scripted(statuses: &[u16]) -> Scripted {
    Scripted {
        statuses: Arc::new(Mutex::new(statuses.to_vec())),
        wait: Duration::ZERO,
        ready_after: Duration::ZERO,
        ready: false,
        seen: Arc::default(),
    }
}

impl Scripted {
    fn calls(&self) -> usize {
        self.seen.lock().unwrap().len()
    }
}

type Answer = Pin<Box<dyn Future<Output = Result<Response<Body>, std::io::Error>> + Send>>;

impl Service<Request<String>> for Scripted {
    type Response = Response<Body>;
    type Error = std::io::Error;
    type Future = Answer;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), std::io::Error>> {
        self.ready = true;
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<String>) -> Answer {
        assert!(
            std::mem::take(&mut self.ready),
            "called without having been ready"
        );
        self.seen.lock().unwrap().push(request.headers().clone());
        let mut statuses = self.statuses.lock().unwrap();
        let status = match statuses.len() {
            1 => statuses[0],
            _ => statuses.remove(0),
        };
        let (wait, body) = (self.wait + self.ready_after, request.into_body());
        Box::pin(async move {
            sleep(wait).await;
            if status == 0 {
                return Err(std::io::Error::other("broken"));
            }
            let mut answer = Response::new(Full::from(body).boxed_unsync());
            *answer.status_mut() = StatusCode::from_u16(status).unwrap();
            Ok(answer)
        })
    }
}

fn hi() -> Request<String> {
    Request::new("hi".to_owned())
}

fn quick(max_attempts: u32) -> RetryLayer {
    let none = Backoff {
        initial: Duration::ZERO,
        multiplier: 1.0,
        max: Duration::ZERO,
    };
    RetryLayer::new(max_attempts).backoff(none)
}

#[tokio::test(start_paused = true)]
async fn a_retry_sends_again_what_another_attempt_can_mend_and_nothing_else() {
    for (statuses, calls, status) in [
        (&[503, 0, 200][..], 3, Some(200)),
        (&[500], 3, Some(500)),
        (&[400], 1, Some(400)),
        (&[401], 1, Some(401)),
        (&[0], 3, None),
    ] {
        let inner = scripted(statuses);
        let answer = quick(3).layer(inner.clone()).oneshot(hi()).await;
        assert_eq!(inner.calls(), calls, "{statuses:?}");
        match (answer, status) {
            (Ok(answer), Some(status)) => {
                assert_eq!(answer.status().as_u16(), status);
                let body = answer.into_body().collect().await.unwrap().to_bytes();
                assert_eq!(body, "hi");
            }
            (Err(Error::Service(error)), None) => assert_eq!(error.to_string(), "broken"),
            (other, _) => panic!("{statuses:?} {:?}", other.map(|a| a.status())),
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_fallback_is_always_ready_and_asks_in_order() {
    let (a, b) = (scripted(&[503]), scripted(&[200]));
    let mut service = Fallback::new([a.clone(), b.clone()]);
    poll_fn(|cx| Service::<Request<String>>::poll_ready(&mut service, cx))
        .await
        .unwrap();
    for n in 1..=2 {
        assert_eq!(service.call(hi()).await.unwrap().status(), 200);
        assert_eq!((a.calls(), b.calls()), (n, n));
    }
    let none: [Scripted; 0] = [];
    let error = Fallback::new(none).oneshot(hi()).await.unwrap_err();
    assert!(matches!(error, Error::Punctual(e) if e.reason() == Some("empty_list")));
}

#[tokio::test(start_paused = true)]
async fn a_deadline_ends_retries_and_is_never_retried() {
    let mut inner = scripted(&[503]);
    inner.wait = ms(400);
    let service = DeadlineLayer::new(ms(1000)).layer(quick(9).layer(inner.clone()));
    let started = Instant::now();
    let error = service.oneshot(hi()).await.unwrap_err();
    assert!(
        matches!(&error, Error::Punctual(e) if e.timeout().unwrap().timeout_type == "limit"),
        "{error}"
    );
    assert!(started.elapsed() >= ms(999) && started.elapsed() < ms(1010));
    assert_eq!(inner.calls(), 3);
}

#[tokio::test(start_paused = true)]
async fn a_deadline_covers_the_body_of_the_answer_too() {
    let slow = tower::service_fn(|_: Request<String>| async {
        let frames = drip(100);
        Ok::<_, Infallible>(Response::new(StreamBody::new(frames)))
    });
    let answer = DeadlineLayer::new(ms(500))
        .layer(slow)
        .oneshot(hi())
        .await
        .unwrap();
    let started = Instant::now();
    let error = answer.into_body().collect().await.unwrap_err();
    assert!(error.downcast_ref::<punctual::Error>().is_some(), "{error}");
    assert!(
        started.elapsed() >= ms(499) && started.elapsed() < ms(510),
        "{:?}",
        started.elapsed()
    );
}

type Frames = Pin<
    Box<dyn futures_core::Stream<Item = Result<http_body::Frame<bytes::Bytes>, Infallible>> + Send>,
>;

/// One frame each so many milliseconds, for ever.
fn drip(gap: u64) -> Frames {
    struct Drip(Pin<Box<tokio::time::Sleep>>, u64);
    impl futures_core::Stream for Drip {
        type Item = Result<http_body::Frame<bytes::Bytes>, Infallible>;
        fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
            std::task::ready!(self.0.as_mut().poll(cx));
            let next = Instant::now() + ms(self.1);
            self.0.as_mut().reset(next);
            Poll::Ready(Some(Ok(http_body::Frame::data(bytes::Bytes::from_static(
                b"x",
            )))))
        }
    }
    Box::pin(Drip(Box::pin(sleep(ms(gap))), gap))
}

#[tokio::test(start_paused = true)]
async fn the_end_of_the_run_binds_services_too_and_is_told() {
    let inner = scripted(&[200]);
    let layer = DeadlineLayer::new(Duration::ZERO).tell(ForwardDeadline::UiPath);
    let run = |secs| Execution::within(Duration::from_secs(secs));
    let asked = || layer.layer(inner.clone()).oneshot(hi());
    run(60).scope(asked()).await.unwrap();
    let told = inner.seen.lock().unwrap()[0]["x-uipath-llmgateway-timeoutseconds"].clone();
    assert_eq!(told, "59");
    let error = run(4).scope(asked()).await.unwrap_err();
    assert!(matches!(error, Error::Punctual(e) if e.is_execution_deadline()));
    let retried = quick(3).layer(inner.clone());
    let error = run(4).scope(retried.oneshot(hi())).await.unwrap_err();
    assert!(matches!(error, Error::Punctual(e) if e.is_execution_deadline()));
    assert_eq!(inner.calls(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_hint_of_the_service_is_waited_for() {
    let statuses = Arc::new(Mutex::new(vec![200, 429]));
    let hinting = tower::service_fn(move |_: Request<String>| {
        let status = statuses.lock().unwrap().pop().unwrap();
        let answer = Response::builder()
            .status(status)
            .header("retry-after", "2")
            .body(());
        async { Ok::<_, Infallible>(answer.unwrap()) }
    });
    let started = Instant::now();
    let answer = quick(2).layer(hinting).oneshot(hi()).await.unwrap();
    assert_eq!(answer.status(), 200);
    assert!(started.elapsed() >= ms(2000) && started.elapsed() < ms(2300));
}
