//! How the process ends: first the request to drain, then the order to stop.
//!
//! Whoever hears the signals holds the [`Trigger`]; the gateway holds the [`Shutdown`]. What the gateway
//! makes of it is a [`Stage`], which every connection follows.

use tokio::sync::watch;

/// How far the gateway has come in its life. Only moves forward.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Stage {
    /// Serving.
    #[default]
    Serving,
    /// Not ready any more, but serving: those who route to us need time to notice.
    LameDuck,
    /// New requests are refused, running ones may finish.
    Draining,
    /// Running ones end with an error.
    Ending,
    /// Connections are dropped.
    Over,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
enum Order {
    #[default]
    None,
    Drain,
    Stop,
}

/// Tells the gateway to end.
#[derive(Clone, Debug)]
pub struct Trigger(watch::Sender<Order>);

/// Hears the [`Trigger`].
#[derive(Clone, Debug)]
pub struct Shutdown(watch::Receiver<Order>);

impl Shutdown {
    /// A pair. Dropping the trigger orders nothing.
    #[must_use]
    pub fn new() -> (Trigger, Self) {
        let (tx, rx) = watch::channel(Order::None);
        (Trigger(tx), Self(rx))
    }

    /// Resolves when a drain (or more) was ordered.
    pub async fn drain(&mut self) {
        self.at_least(Order::Drain).await;
    }

    /// Resolves when an immediate stop was ordered.
    pub async fn stop(&mut self) {
        self.at_least(Order::Stop).await;
    }

    async fn at_least(&mut self, order: Order) {
        if self.0.wait_for(|o| *o >= order).await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}

impl Trigger {
    /// The first signal: drain.
    pub fn drain(&self) {
        self.order(Order::Drain);
    }

    /// The second signal: stop now.
    pub fn stop(&self) {
        self.order(Order::Stop);
    }

    fn order(&self, order: Order) {
        self.0.send_modify(|o| *o = order.max(*o));
    }
}
