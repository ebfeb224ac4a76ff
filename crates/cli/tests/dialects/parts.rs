//! Files in parts through `/passthrough`: a range of a download, and what Google's clients say and hear of an
//! upload. Where the next part would go is an address of the provider's, and reaches nobody.

use crate::{
    stage::{Stage, beside},
    support::Request,
};
use punctual_sim::{Cuts, Script};

fn config(origin: &str) -> String {
    format!(
        "targets:\n\
         \x20 t: {{ dialect: openai, base_url: \"{origin}/v1\", api_key: key-of-t, model: m, passthrough: true }}\n\
         \x20 g: {{ dialect: gemini, base_url: \"{origin}/v1beta\", api_key: key-of-g, model: m, passthrough: true }}\n\
         routes:\n  r: {{ plan: t }}\n  g: {{ plan: g }}\n"
    )
}

#[test]
fn a_part_of_a_file_comes_down_as_the_part_that_it_is() {
    beside(async {
        let stage = Stage::open(config).await;
        let told = [
            ("content-range", "bytes 2-5/10"),
            ("accept-ranges", "bytes"),
            ("etag", "\"v1\""),
            ("content-disposition", "attachment; filename=\"a.wav\""),
        ];
        let script = Script::raw(206, "audio/wav", &told, "2345", Cuts::Whole);
        stage.sim.set("", script);
        let asked = [("range", "bytes=2-5"), ("if-range", "\"v1\"")];
        let request = Request::get("/passthrough/t/files/f/content");
        let request = asked.iter().fold(request, |r, (n, v)| r.with(n, v));
        let answer = stage.ask(&request).await;
        assert_eq!((answer.status, answer.text().as_str()), (206, "2345"));
        for (name, value) in told {
            assert_eq!(answer.header(name), Some(value), "{name}");
        }
        let seen = stage.sim.report().pop().unwrap();
        for (name, value) in asked {
            assert_eq!(seen.header(name), Some(value), "{name}");
        }
    });
}

#[test]
fn what_describes_an_upload_in_parts_goes_both_ways() {
    beside(async {
        let stage = Stage::open(config).await;
        let told = [
            ("x-goog-upload-status", "active"),
            ("x-goog-upload-size-received", "4"),
            ("x-goog-upload-chunk-granularity", "8388608"),
            (
                "x-goog-upload-url",
                "https://provider.invalid/upload?upload_id=1",
            ),
        ];
        stage.sim.set(
            "",
            Script::raw(200, "application/json", &told, "{}", Cuts::Whole),
        );
        let asked = [
            ("x-goog-upload-protocol", "resumable"),
            ("x-goog-upload-command", "upload, finalize"),
            ("x-goog-upload-offset", "0"),
            ("x-goog-upload-header-content-length", "4"),
            ("x-goog-upload-header-content-type", "audio/wav"),
        ];
        let (url, told_on) = told.split_last().unwrap();
        let request = Request::post("/passthrough/g/files", "{}");
        let request = asked.iter().fold(request, |r, (n, v)| r.with(n, v));
        let answer = stage.ask(&request).await;
        assert_eq!(answer.status, 200, "{}", answer.text());
        for (name, value) in told_on {
            assert_eq!(answer.header(name), Some(*value), "{name}");
        }
        assert_eq!(answer.header(url.0), None);
        let seen = stage.sim.report().pop().unwrap();
        for (name, value) in asked {
            assert_eq!(seen.header(name), Some(value), "{name}");
        }
    });
}
