//! Messages as turns of the user and of the model.
//!
//! The roles alternate: consecutive messages of one become one turn. Results of tools belong to the user
//! and stand before everything else in its turn, right behind the calls. Instructions have a place of
//! their own, outside the conversation, and are moved there from wherever they stand.

use serde::Serialize;

use super::{
    super::blocks::{Block, Content},
    part,
    served::Served,
};
use crate::middle::{Lost, Message, Role};

/// All that one side says before the other does.
#[derive(Debug, Serialize)]
pub(super) struct Turn<'a> {
    role: &'static str,
    content: Content<'a>,
}

/// The instructions, and the turns.
pub(super) fn read<'a>(
    messages: &'a [Message],
    served: Served,
    lost: &mut Lost,
) -> (Vec<Block<'a>>, Vec<Turn<'a>>) {
    let mut system = Vec::new();
    let mut turns: Vec<(&'static str, Vec<Block<'a>>)> = Vec::new();
    for message in messages {
        if message.name.is_some() {
            lost.parameter("messages[].name");
        }
        let blocks: Vec<_> = message
            .parts
            .iter()
            .flat_map(|part| part::blocks(part, message.role, served, lost))
            .collect();
        if blocks.is_empty() {
            continue;
        }
        let role = match message.role {
            Role::System | Role::Developer => {
                if !turns.is_empty() {
                    // they are heard, but not where they were said
                    lost.parameter("messages[].role");
                }
                system.extend(blocks);
                continue;
            }
            Role::User | Role::Tool => "user",
            Role::Assistant => "assistant",
        };
        match turns.last_mut() {
            Some((last, all)) if *last == role => all.extend(blocks),
            _ => turns.push((role, blocks)),
        }
    }
    let turn = |(role, mut blocks): (&'static str, Vec<Block<'a>>)| {
        blocks.sort_by_key(|block| !matches!(block, Block::ToolResult { .. }));
        Turn {
            role,
            content: Content::of(blocks),
        }
    };
    // there must be a turn, so instructions alone are one
    if turns.is_empty() && !system.is_empty() {
        lost.parameter("messages[].role");
        turns.push(("user", std::mem::take(&mut system)));
    }
    (system, turns.into_iter().map(turn).collect())
}

/// Whether the conversation ends in results of calls that no thought stands before: with a budget of
/// thinking such a turn is refused, because its thought must be brought back.
pub(super) fn ends_in_unsigned_calls(turns: &[Turn<'_>]) -> bool {
    let [.., calls, results] = turns else {
        return false;
    };
    let first = |turn: &Turn<'_>, is: fn(&Block<'_>) -> bool| match &turn.content {
        Content::Blocks(blocks) => blocks.first().is_some_and(is),
        Content::Text(_) => false,
    };
    let thought = |block: &Block<'_>| {
        matches!(
            block,
            Block::Thinking { .. } | Block::RedactedThinking { .. }
        )
    };
    results.role == "user"
        && first(results, |block| matches!(block, Block::ToolResult { .. }))
        && !first(calls, thought)
}
