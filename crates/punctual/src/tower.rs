//! The rules for those who have a client of their own: layers and a service over `http::Request<B>`.
//!
//! They are thin: what decides is the engine, as for every other call. [`Deadline`] bounds a request and the
//! body of its answer by a limit and by the end of the run, [`Retry`] sends a request again, [`Fallback`]
//! sends it to the next service. Statuses are read by the table of failures; what an answer says in its body
//! is not looked at.
//!
//! Readiness: an attempt waits for its own service to be ready, inside its own clocks. [`Deadline`] and
//! [`Retry`] are ready when what they wrap is, and use that very service for the first attempt. [`Fallback`]
//! is always ready, because which of its services is asked is not known before.
//!
//! ```
//! use http::{Request, Response};
//! use punctual::tower::{DeadlineLayer, RetryLayer};
//! use std::{convert::Infallible, time::Duration};
//! use tower::{ServiceBuilder, ServiceExt, service_fn};
//!
//! # #[tokio::main(flavor = "current_thread")] async fn main() {
//! let mine = service_fn(|_: Request<String>| async { Ok::<_, Infallible>(Response::new("hello".to_owned())) });
//! let service = ServiceBuilder::new()
//!     .layer(DeadlineLayer::new(Duration::from_secs(20)))
//!     .layer(RetryLayer::new(3))
//!     .service(mine);
//! let answer = service.oneshot(Request::new("hi".to_owned())).await.unwrap();
//! assert!(answer.status().is_success());
//! # }
//! ```

mod deadline;
mod exchange;
mod plan;

pub use crate::bounded::Bounded;
pub use deadline::{Deadline, DeadlineLayer};
pub use exchange::Error;
pub use plan::{Fallback, Retry, RetryLayer};
