//! Real SDKs as callers of the real binary: what their users are given, catch, retry, parse and abort, and
//! what the provider's sockets saw meanwhile.
//!
//! The scripts beside this file print a line a check. They need the SDKs, which `./scripts/test.sh` fetches
//! and names in `PUNCTUAL_SDKS`; without it nothing here is tested, and the tests say so. A script has a
//! simulator and a gateway of its own, so that no check can spoil another script's.
#![allow(
    missing_docs,
    unreachable_pub,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "tests"
)]

mod models;
mod stage;
#[path = "../support/mod.rs"]
mod support;

use stage::check;

#[test]
fn openai_for_python_and_chat_completions() {
    check("python/openai_sync.py");
}

#[test]
fn openai_for_python_and_chat_completions_asynchronously() {
    check("python/openai_async.py");
}

#[test]
fn openai_for_python_and_responses() {
    check("python/openai_responses.py");
}

#[test]
fn openai_for_python_before_providers_of_other_apis() {
    check("python/openai_translated.py");
}

#[test]
fn anthropic_for_python() {
    check("python/anthropic_sync.py");
}

#[test]
fn anthropic_for_python_asynchronously() {
    check("python/anthropic_async.py");
}

#[test]
fn anthropic_for_python_before_providers_of_other_apis() {
    check("python/anthropic_translated.py");
}

#[test]
fn google_genai_for_python_passed_through() {
    check("python/google_genai.py");
}

#[test]
fn boto3_passed_through() {
    check("python/bedrock_boto3.py");
}

#[test]
fn openai_for_node() {
    check("node/openai.mjs");
}

#[test]
fn the_ai_sdk_for_node() {
    check("node/ai.mjs");
}
