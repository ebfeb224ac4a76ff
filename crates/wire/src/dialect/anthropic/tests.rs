//! What the dialect promises, feature by feature.

mod questions;
