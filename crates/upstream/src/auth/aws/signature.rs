//! AWS Signature Version 4
//! (<https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html>).
//!
//! Written here on `ring`: `aws-sigv4` brings twenty crates for what is this page. What must hold is
//! what AWS publishes: its own vectors are the tests.

use crate::auth::{form, moment::Moment};
use http::HeaderMap;
use ring::{
    digest::{Context, SHA256},
    hmac::{HMAC_SHA256, Key, Tag, sign},
};

/// What a signature is good for.
pub(super) struct Scope<'a> {
    pub(super) region: &'a str,
    pub(super) service: &'a str,
    pub(super) at: Moment,
}

/// A request as it is signed.
pub(super) struct Canonical<'a> {
    pub(super) method: &'a str,
    /// As it is sent, that is with its segments percent-encoded.
    pub(super) path: &'a str,
    pub(super) query: &'a str,
    /// All of them are signed.
    pub(super) headers: &'a HeaderMap,
    /// Digest of the body.
    pub(super) payload: &'a str,
}

/// SHA-256 of some pieces one after another, in hexadecimal digits.
pub(super) fn digest<'a>(pieces: impl Iterator<Item = &'a [u8]>) -> String {
    let mut context = Context::new(&SHA256);
    pieces.for_each(|piece| context.update(piece));
    hex(context.finish().as_ref())
}

impl Scope<'_> {
    /// The value of `Authorization`.
    pub(super) fn authorization(&self, id: &str, secret: &str, request: &Canonical<'_>) -> String {
        let time = self.at.compact();
        let date = time.get(..8).unwrap_or_default();
        let scope = format!("{date}/{}/{}/aws4_request", self.region, self.service);
        let (canonical, signed) = request.text();
        let canonical = digest(std::iter::once(canonical.as_bytes()));
        let text = format!("AWS4-HMAC-SHA256\n{time}\n{scope}\n{canonical}");
        let first = mac(format!("AWS4{secret}").as_bytes(), date);
        let key = [self.region, self.service, "aws4_request"]
            .iter()
            .fold(first, |key, text| mac(key.as_ref(), text));
        let signature = hex(mac(key.as_ref(), &text).as_ref());
        format!(
            "AWS4-HMAC-SHA256 Credential={id}/{scope}, SignedHeaders={signed}, Signature={signature}"
        )
    }
}

impl Canonical<'_> {
    /// The request in the one form that both sides agree on, and the names of its headers.
    fn text(&self) -> (String, String) {
        let mut headers: Vec<(&str, String)> = self
            .headers
            .keys()
            .map(|name| (name.as_str(), self.values(name.as_str())))
            .collect();
        headers.sort_unstable();
        let names: Vec<&str> = headers.iter().map(|(name, _)| *name).collect();
        let names = names.join(";");
        let lines: String = headers
            .iter()
            .map(|(name, value)| format!("{name}:{value}\n"))
            .collect();
        // everywhere but at S3 the path is encoded once more than it is sent
        let path = form::encode(self.path, b"/");
        let text = format!(
            "{}\n{path}\n{}\n{lines}\n{names}\n{}",
            self.method,
            self.query(),
            self.payload
        );
        (text, names)
    }

    /// Values of one name joined by commas, each with its blanks made single.
    fn values(&self, name: &str) -> String {
        let all = self.headers.get_all(name).iter();
        let plain = all.map(|value| {
            let text = String::from_utf8_lossy(value.as_bytes());
            text.split_ascii_whitespace().collect::<Vec<_>>().join(" ")
        });
        plain.collect::<Vec<_>>().join(",")
    }

    /// Parameters, encoded already, by name and then by value.
    fn query(&self) -> String {
        let pairs = self.query.split('&').filter(|pair| !pair.is_empty());
        let mut pairs: Vec<(&str, &str)> = pairs
            .map(|pair| pair.split_once('=').unwrap_or((pair, "")))
            .collect();
        pairs.sort_unstable();
        let pairs = pairs.iter().map(|(name, value)| format!("{name}={value}"));
        pairs.collect::<Vec<_>>().join("&")
    }
}

fn mac(key: &[u8], text: &str) -> Tag {
    sign(&Key::new(HMAC_SHA256, key), text.as_bytes())
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use http::{HeaderName, HeaderValue};

    const ID: &str = "AKIDEXAMPLE";
    const SECRET: &str = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY";
    /// 2015-08-30 12:36:00.
    const AT: Moment = Moment(1_440_938_160);

    fn signature(
        service: &str,
        method: &str,
        uri: &str,
        more: &[(&str, &str)],
        body: &str,
    ) -> String {
        let mut headers = HeaderMap::new();
        let all = [
            ("host", "example.amazonaws.com"),
            ("x-amz-date", "20150830T123600Z"),
        ];
        for (name, value) in all.iter().chain(more) {
            let name = HeaderName::try_from(*name).unwrap();
            let value = HeaderValue::from_str(value).unwrap();
            match name == "host" {
                true => drop(headers.insert(name, value)),
                false => drop(headers.append(name, value)),
            }
        }
        let (path, query) = uri.split_once('?').unwrap_or((uri, ""));
        let payload = digest(std::iter::once(body.as_bytes()));
        let canonical = Canonical {
            method,
            path,
            query,
            headers: &headers,
            payload: &payload,
        };
        let scope = Scope {
            region: "us-east-1",
            service,
            at: AT,
        };
        scope.authorization(ID, SECRET, &canonical)
    }

    #[test]
    fn the_published_vectors_come_out() {
        // get-vanilla, get-vanilla-query-order-key-case, post-vanilla, get-header-value-trim and
        // post-x-www-form-urlencoded of AWS's Signature Version 4 test suite
        for (method, uri, headers, body, names, expected) in [
            (
                "GET",
                "/",
                &[][..],
                "",
                "host;x-amz-date",
                "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31",
            ),
            (
                "GET",
                "/?Param2=value2&Param1=value1",
                &[],
                "",
                "host;x-amz-date",
                "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500",
            ),
            (
                "POST",
                "/",
                &[],
                "",
                "host;x-amz-date",
                "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b",
            ),
            (
                "GET",
                "/",
                &[("my-header1", " value1"), ("my-header2", " \"a   b   c\"")],
                "",
                "host;my-header1;my-header2;x-amz-date",
                "acc3ed3afb60bb290fc8d2dd0098b9911fcaa05412b367055dee359757a9c736",
            ),
            (
                "POST",
                "/",
                &[("content-type", "application/x-www-form-urlencoded")],
                "Param1=value1",
                "content-type;host;x-amz-date",
                "ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a",
            ),
        ] {
            let found = signature("service", method, uri, headers, body);
            let expected = format!(
                "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, SignedHeaders={names}, Signature={expected}"
            );
            assert_eq!(found, expected, "{method} {uri}");
        }
    }

    #[test]
    fn a_path_that_is_encoded_is_signed_encoded_once_more() {
        // botocore's SigV4Auth says the same
        let body = "{\"messages\":[]}";
        let digest = digest(std::iter::once(body.as_bytes()));
        let uri = "/model/anthropic.claude-3-5-sonnet-20241022-v2%3A0/converse-stream";
        let headers = [
            ("content-type", "application/json"),
            ("x-amz-content-sha256", &digest),
            ("host", "bedrock-runtime.us-east-1.amazonaws.com"),
        ];
        let found = signature("bedrock", "POST", uri, &headers, body);
        let expected = "04462abe60da4da10e85e1143a743823dd1b78552a2acec0a72741168796ea20";
        assert!(found.ends_with(expected), "{found}");
    }
}
