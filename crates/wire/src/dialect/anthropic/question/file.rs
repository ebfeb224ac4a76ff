//! Files as documents.

use base64::{Engine as _, engine::general_purpose::STANDARD};

use super::super::blocks::{Block, Place};
use crate::middle::{Json, Source};

/// Documents are PDF or text; a file that is a picture is shown as one.
pub(super) fn block<'a>(
    source: &'a Source,
    title: Option<&'a str>,
    cache_control: Option<&'a Json>,
) -> Option<Block<'a>> {
    let place = Place::of(source)?;
    let kind = match &place {
        Place::Base64 { media_type, .. } => *media_type,
        _ => "application/pdf",
    };
    let textual = kind.starts_with("text/") || kind == "application/json";
    let source = match (&place, kind) {
        (_, "application/pdf") => place,
        (_, kind) if kind.starts_with("image/") => {
            return Some(Block::Image {
                source: place,
                cache_control,
            });
        }
        (Place::Base64 { data, .. }, _) if textual => Place::Text {
            media_type: "text/plain",
            data: String::from_utf8(STANDARD.decode(data).ok()?).ok()?,
        },
        _ => return None,
    };
    Some(Block::Document {
        source,
        title,
        cache_control,
    })
}
