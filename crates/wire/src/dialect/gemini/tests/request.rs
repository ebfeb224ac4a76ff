use super::*;
use crate::middle::{
    Format, Message, Options, Part, Reasoning, Request, Role, Sampling, Source, Tool, ToolCall,
    ToolChoice, ToolResult,
    sample::{call, inline, json, message, picture, question, result, written},
};

mod media;
mod settings;
mod thinking;
mod turns;

fn write_for(model: &str, request: &Request) -> (String, Vec<String>) {
    let options = Options {
        model,
        ..Options::default()
    };
    written(&UPSTREAM, request, &options)
}

fn write(request: &Request) -> (String, Vec<String>) {
    write_for("gemini-2.5-flash", request)
}

fn signed(mut call: Part, by: &str) -> Part {
    if let Part::ToolCall(ToolCall { signature, .. }) = &mut call {
        *signature = Some(by.into());
    }
    call
}
