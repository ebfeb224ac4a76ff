//! Pictures, documents, videos and sound: a format, and either bytes in base64 or a place in S3.
//!
//! Nothing is fetched for a caller: what stands at any other address cannot be sent.

use serde::Serialize;

use super::block::Block;
use crate::middle::Source;

#[derive(Debug, Serialize)]
pub(super) struct Media<'a> {
    format: &'static str,
    source: Place<'a>,
}

#[derive(Debug, Serialize)]
pub(super) struct Document<'a> {
    format: &'static str,
    name: String,
    source: Place<'a>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
enum Place<'a> {
    Bytes(&'a str),
    S3Location { uri: &'a str },
}

/// Media type, extension, format.
type Format = (&'static str, &'static str, &'static str);

const IMAGES: [Format; 5] = [
    ("image/png", "png", "png"),
    ("image/jpeg", "jpeg", "jpeg"),
    ("image/jpg", "jpg", "jpeg"),
    ("image/gif", "gif", "gif"),
    ("image/webp", "webp", "webp"),
];
const DOCUMENTS: [Format; 9] = [
    ("application/pdf", "pdf", "pdf"),
    ("text/csv", "csv", "csv"),
    ("application/msword", "doc", "doc"),
    (
        "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        "docx",
        "docx",
    ),
    ("application/vnd.ms-excel", "xls", "xls"),
    (
        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        "xlsx",
        "xlsx",
    ),
    ("text/html", "html", "html"),
    ("text/plain", "txt", "txt"),
    ("text/markdown", "md", "md"),
];
const VIDEOS: [Format; 8] = [
    ("video/mp4", "mp4", "mp4"),
    ("video/quicktime", "mov", "mov"),
    ("video/webm", "webm", "webm"),
    ("video/x-matroska", "mkv", "mkv"),
    ("video/x-flv", "flv", "flv"),
    ("video/mpeg", "mpeg", "mpeg"),
    ("video/x-ms-wmv", "wmv", "wmv"),
    ("video/3gpp", "3gp", "three_gp"),
];
const SOUNDS: [&str; 12] = [
    "mp3", "opus", "wav", "aac", "flac", "mp4", "ogg", "mka", "m4a", "mpeg", "pcm", "webm",
];
/// How base64 of each format begins.
const SIGNS: [(&str, &str); 4] = [
    ("iVBORw0KGgo", "png"),
    ("/9j/", "jpeg"),
    ("R0lGOD", "gif"),
    ("UklGR", "webp"),
];

pub(super) fn image(source: &Source) -> Option<Block<'_>> {
    let sign = || {
        let Source::Inline { data, .. } = source else {
            return None;
        };
        let known = SIGNS.iter().find(|(sign, _)| data.starts_with(sign));
        known.map(|(_, format)| *format)
    };
    let format = format(&IMAGES, source, None).or_else(sign)?;
    let source = Place::of(source)?;
    Some(Block::Image(Media { format, source }))
}

pub(super) fn sound<'a>(data: &'a str, format: &str) -> Option<Block<'a>> {
    let format = SOUNDS.into_iter().find(|known| *known == format)?;
    let source = Place::Bytes(data);
    Some(Block::Audio(Media { format, source }))
}

/// A file by what it is. `names` are those of the documents before, which must differ.
pub(super) fn file<'a>(
    source: &'a Source,
    name: Option<&str>,
    names: &mut Vec<String>,
) -> Option<Block<'a>> {
    let place = Place::of(source)?;
    if let Some(format) = format(&DOCUMENTS, source, name) {
        return Some(Block::Document(Document {
            format,
            name: title(name.unwrap_or_default(), names),
            source: place,
        }));
    }
    if let Some(format) = format(&VIDEOS, source, name) {
        let source = place;
        return Some(Block::Video(Media { format, source }));
    }
    image(source)
}

fn format(formats: &[Format], source: &Source, name: Option<&str>) -> Option<&'static str> {
    let (media_type, path) = match source {
        Source::Inline { media_type, .. } => (media_type.as_str(), name),
        Source::Url(url) => ("", Some(url.as_str())),
        Source::Id(_) => ("", name),
    };
    let by_type = |(kind, ..): &&Format| kind.eq_ignore_ascii_case(media_type);
    let extension = path.and_then(|path| path.rsplit_once('.')).map(|(_, e)| e);
    let by_extension =
        |(_, known, _): &&Format| extension.is_some_and(|e| e.eq_ignore_ascii_case(known));
    let known = formats.iter().find(by_type);
    let known = known.or_else(|| formats.iter().find(by_extension));
    known.map(|(.., format)| *format)
}

impl<'a> Place<'a> {
    fn of(source: &'a Source) -> Option<Self> {
        match source {
            Source::Inline { data, .. } => Some(Self::Bytes(data)),
            Source::Url(uri) if uri.starts_with("s3://") => Some(Self::S3Location { uri }),
            Source::Url(_) | Source::Id(_) => None,
        }
    }
}

/// A name in the signs that are allowed: letters, digits, single blanks, hyphens and brackets; at most
/// 200 characters, no two documents alike.
fn title(name: &str, names: &mut Vec<String>) -> String {
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    let allowed = |c: char| c.is_ascii_alphanumeric() || "-()[]".contains(c);
    let plain: String = stem
        .chars()
        .map(|c| if allowed(c) { c } else { ' ' })
        .take(180)
        .collect();
    let words: Vec<&str> = plain.split_ascii_whitespace().collect();
    let plain = match words.is_empty() {
        true => "document".to_owned(),
        false => words.join(" "),
    };
    let mut title = plain.clone();
    let mut number = 1_u32;
    while names.contains(&title) {
        number = number.saturating_add(1);
        title = format!("{plain} ({number})");
    }
    names.push(title.clone());
    title
}
