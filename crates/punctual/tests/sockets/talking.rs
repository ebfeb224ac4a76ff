//! Other ways to talk: blocking, without a runtime, over several runtimes, and leaving in the middle.

use crate::support::*;
use punctual::{Client, Fallback, Retry, openai};
use punctual_sim::Sim;
use std::{
    future::Future,
    pin::pin,
    sync::Arc,
    task::{Context, Poll, Wake, Waker},
    thread::Thread,
};

fn client(sim: &Sim, script: &str) -> openai::Chat {
    openai::Chat::new(format!("sim:{script}"))
        .base_url(format!("{}/v1", sim.url()))
        .key("k")
}

#[tokio::test(flavor = "multi_thread")]
async fn blocking_code_gets_the_same_on_any_thread() {
    let sim = sim().await;
    let blocking = client(&sim, "tokens=3").blocking();
    let work = move || {
        let whole = blocking.invoke(&hi()).unwrap().text();
        let steps = blocking.invoke_stream(&hi()).unwrap();
        let steps: String = steps
            .map(|step| step.unwrap().as_text().unwrap_or_default().to_owned())
            .collect();
        (whole, steps)
    };
    let outside = std::thread::spawn(work.clone());
    let inside = tokio::task::spawn_blocking(work).await.unwrap();
    assert_eq!(inside.0, inside.1);
    assert_eq!(outside.join().unwrap(), inside);
}

struct Unpark(Thread);
impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

fn block_on<F: Future>(future: F) -> F::Output {
    let mut future = pin!(future);
    let waker = Waker::from(Arc::new(Unpark(std::thread::current())));
    loop {
        match future.as_mut().poll(&mut Context::from_waker(&waker)) {
            Poll::Ready(done) => return done,
            Poll::Pending => std::thread::park(),
        }
    }
}

#[test]
fn an_executor_that_is_not_tokio_is_served_too() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let sim = runtime.block_on(sim());
    let client = Fallback::new((
        client(&sim, "status=500"),
        client(&sim, "tokens=3,gap=10ms"),
    ));
    let answer = block_on(async {
        let stream = client.invoke_stream(&hi().limit(ms(5_000))).await?;
        stream.collect().await
    });
    assert_eq!(answer.unwrap().records.len(), 2);
}

#[test]
fn a_client_outlives_the_runtimes_it_is_used_on() {
    let home = tokio::runtime::Runtime::new().unwrap();
    let sim = home.block_on(sim());
    let client = client(&sim, "tokens=1");
    for _ in 0..3 {
        let runtime = tokio::runtime::Runtime::new().unwrap();
        for _ in 0..2 {
            runtime.block_on(client.invoke(&hi())).unwrap();
        }
    }
    assert_eq!(sim.connections().len(), 3, "one for each runtime");
}

#[tokio::test]
async fn leaving_closes_the_exchange_at_once() {
    let sim = sim().await;
    let plan = Retry::new(client(&sim, "silent-headers"), 3);
    let call = hi();
    let left = tokio::time::timeout(ms(100), plan.invoke(&call)).await;
    assert!(left.is_err());
    let mut stream = client(&sim, "tokens=50,gap=50ms")
        .invoke_stream(&call)
        .await
        .unwrap();
    stream.next().await.unwrap().unwrap();
    drop(stream);
    let gone =
        |all: &[punctual_sim::Seen]| all.len() == 2 && all.iter().all(|s| s.closed.is_some());
    sim.wait(PATIENCE, gone).await.unwrap();
}

#[tokio::test]
async fn a_slow_reader_gets_every_word() {
    let sim = sim().await;
    let clocks = punctual::Timeouts::none().stream_token(ms(200));
    let patient = client(&sim, "tokens=6,gap=20ms").timeouts(clocks);
    let mut stream = patient.invoke_stream(&hi()).await.unwrap();
    let mut words = 0;
    while let Some(step) = stream.next().await {
        words += usize::from(step.unwrap().as_text().is_some());
        tokio::time::sleep(ms(250)).await;
    }
    assert_eq!(words, 6);
}
