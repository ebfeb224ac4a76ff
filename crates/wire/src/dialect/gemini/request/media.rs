//! Pictures and files: here, or at an address that Google fetches.

use std::borrow::Cow;

use serde::Serialize;

/// Data in base64.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Blob<'a> {
    pub(super) mime_type: Cow<'a, str>,
    pub(super) data: &'a str,
}

impl<'a> Blob<'a> {
    /// `usual` where the media type is not told.
    pub(super) fn of(media_type: &'a str, data: &'a str, usual: &'static str) -> Self {
        let mime_type = match media_type {
            "" => usual,
            told => told,
        };
        Self {
            mime_type: Cow::Borrowed(mime_type),
            data,
        }
    }
}

/// An address: `https:`, `gs:`, or that of an uploaded file.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct File<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    mime_type: Option<&'static str>,
    file_uri: &'a str,
}

/// Vertex AI wants a media type beside an address. Callers of other APIs give none, so it is told by the
/// name, where that tells it.
const TYPES: [(&str, &str); 17] = [
    ("png", "image/png"),
    ("jpg", "image/jpeg"),
    ("jpeg", "image/jpeg"),
    ("webp", "image/webp"),
    ("gif", "image/gif"),
    ("heic", "image/heic"),
    ("heif", "image/heif"),
    ("pdf", "application/pdf"),
    ("txt", "text/plain"),
    ("csv", "text/csv"),
    ("html", "text/html"),
    ("mp3", "audio/mp3"),
    ("wav", "audio/wav"),
    ("mp4", "video/mp4"),
    ("mov", "video/mov"),
    ("webm", "video/webm"),
    ("mpeg", "video/mpeg"),
];

impl<'a> File<'a> {
    /// At an address.
    pub(super) fn of(file_uri: &'a str) -> Self {
        let end = file_uri.find(['?', '#']).unwrap_or(file_uri.len());
        let path = file_uri.get(..end).unwrap_or_default();
        let ending = path.rsplit_once('.').map_or("", |(_, ending)| ending);
        let known = TYPES.iter().find(|(e, _)| e.eq_ignore_ascii_case(ending));
        Self {
            mime_type: known.map(|(_, mime)| *mime),
            file_uri,
        }
    }
}
