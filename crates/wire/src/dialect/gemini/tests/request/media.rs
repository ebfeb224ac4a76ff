//! Pictures, files and sounds.

use super::*;

#[test]
fn pictures_files_and_sounds_are_data_or_addresses() {
    let image = |source, detail: Option<&str>| Part::Image {
        source,
        detail: detail.map(Into::into),
        cache: None,
    };
    let file = |source, name: Option<&str>| Part::File {
        source,
        name: name.map(Into::into),
        cache: None,
    };
    let request = question(vec![message(
        Role::User,
        vec![
            image(inline("image/webp"), Some("high")),
            image(inline(""), None),
            image(Source::Url("https://x.example/a.JPG?w=1".into()), None),
            image(Source::Url("https://x.example/a".into()), None),
            file(inline("application/pdf"), Some("a.pdf")),
            file(
                Source::Id("https://generativelanguage.googleapis.com/v1beta/files/abc".into()),
                None,
            ),
            Part::Audio {
                data: "aGk=".into(),
                format: "mp3".into(),
            },
        ],
    )]);
    let (text, lost) = write(&request);
    let expected = concat!(
        r#"{"contents":[{"role":"user","parts":[{"inlineData":{"mimeType":"image/webp","data":"aGk="}},"#,
        r#"{"inlineData":{"mimeType":"image/png","data":"aGk="}},"#,
        r#"{"fileData":{"mimeType":"image/jpeg","fileUri":"https://x.example/a.JPG?w=1"}},"#,
        r#"{"fileData":{"fileUri":"https://x.example/a"}},"#,
        r#"{"inlineData":{"mimeType":"application/pdf","data":"aGk="}},"#,
        r#"{"fileData":{"fileUri":"https://generativelanguage.googleapis.com/v1beta/files/abc"}},"#,
        r#"{"inlineData":{"mimeType":"audio/mp3","data":"aGk="}}]}]}"#
    );
    assert_eq!(text, expected);
    assert_eq!(
        lost,
        [
            "messages[].content[].image_url.detail",
            "messages[].content[].file.filename"
        ]
    );
}

#[test]
fn a_picture_in_a_result_goes_inside_it_or_beside_it() {
    let request = question(vec![
        message(Role::Assistant, vec![signed(call("1", "f", ""), "cw==")]),
        message(
            Role::Tool,
            vec![result(
                "1",
                vec![Part::text("see"), picture(inline("image/png"))],
            )],
        ),
    ]);
    let inside = r#""response":{"output":"see"},"parts":[{"inlineData":{"#;
    assert!(
        write_for("gemini-3.1-pro-preview", &request)
            .0
            .contains(inside)
    );
    let beside = r#""response":{"output":"see"}}},{"inlineData":{"#;
    assert!(write(&request).0.contains(beside));
}

#[test]
fn the_id_of_another_providers_file_is_lost_and_named() {
    let file = Part::File {
        source: Source::Id("file-1".into()),
        name: None,
        cache: None,
    };
    let parts = vec![Part::text("?"), file, picture(Source::Id("file-2".into()))];
    let (text, lost) = write(&question(vec![message(Role::User, parts)]));
    assert_eq!(
        text,
        r#"{"contents":[{"role":"user","parts":[{"text":"?"}]}]}"#
    );
    assert_eq!(
        lost,
        [
            "messages[].content[].file",
            "messages[].content[].image_url"
        ]
    );
}
