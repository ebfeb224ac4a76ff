//! Signers against real sockets: where each kind of credential is looked for, and what comes of it.

use super::*;
use crate::spec::TargetSpec;
use punctual_core::Code;
use punctual_sim::{Listen, Sim};
use secrecy::SecretString;
use std::{
    collections::HashMap,
    fs, io,
    path::{Path, PathBuf},
};

mod aws;
mod azure;
mod google;

/// A machine with nothing on it but what a test puts there. Files are real ones, in a folder of the test's.
struct Machine {
    variables: HashMap<String, String>,
    folder: PathBuf,
}

impl Machine {
    fn new(test: &str) -> Self {
        let name = format!("punctual-auth-{}-{test}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        fs::create_dir_all(&folder).unwrap();
        let machine = Self {
            variables: HashMap::new(),
            folder,
        };
        let home = machine.folder.display().to_string();
        machine.with("HOME", home)
    }

    fn with(mut self, name: &str, value: impl Into<String>) -> Self {
        self.variables.insert(name.to_owned(), value.into());
        self
    }

    fn file(&self, name: &str, text: &str) -> PathBuf {
        let path = self.folder.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }

    fn signer(&self, auth: Auth) -> Result<Signer, Fault> {
        let mut spec = TargetSpec::new("t", "https://bedrock-runtime.eu-west-1.amazonaws.com");
        spec.auth = auth;
        let variable = |name: &str| self.variables.get(name).cloned();
        let read = |path: &Path| -> io::Result<String> { fs::read_to_string(path) };
        let around = Surroundings::of(&variable, &read);
        let signer = Signer::within(&spec, &Pools::new(), &around);
        signer.map(Option::unwrap)
    }

    #[track_caller]
    fn fault(&self, auth: Auth) -> Fault {
        match self.signer(auth) {
            Ok(_) => panic!("a signer"),
            Err(fault) => fault,
        }
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}

async fn sim() -> Sim {
    Sim::start(Listen::loopback()).await.unwrap()
}

async fn sign(signer: &Signer) -> Result<HeaderMap, Box<Failure>> {
    let uri: Uri = "/model/a%3A0/converse".parse().unwrap();
    let request = Unsigned {
        method: &Method::POST,
        uri: &uri,
        host: "bedrock-runtime.eu-west-1.amazonaws.com",
        content_type: Some(HeaderValue::from_static("application/json")),
        body: &[Bytes::from_static(b"{}")],
    };
    signer.sign(&request).await
}

async fn authorization(signer: &Signer) -> String {
    let headers = sign(signer).await.unwrap();
    let value = headers.get(header::AUTHORIZATION).unwrap();
    assert!(value.is_sensitive());
    value.to_str().unwrap().to_owned()
}

async fn refusal(signer: &Signer) -> (Code, String) {
    let failure = sign(signer).await.unwrap_err();
    (failure.code, failure.message)
}

/// The fields of a form as it was sent.
fn form(body: &[u8]) -> HashMap<String, String> {
    let text = std::str::from_utf8(body).unwrap();
    let decode = |text: &str| {
        let mut pieces = text.split('%');
        let mut out = pieces.next().unwrap().as_bytes().to_vec();
        for piece in pieces {
            out.push(u8::from_str_radix(&piece[..2], 16).unwrap());
            out.extend(&piece.as_bytes()[2..]);
        }
        String::from_utf8(out).unwrap()
    };
    let pairs = text.split('&').map(|pair| pair.split_once('=').unwrap());
    pairs
        .map(|(name, value)| (decode(name), decode(value)))
        .collect()
}

#[tokio::test]
async fn a_key_in_a_header_of_its_own_is_sent_as_it_is() {
    let key = Auth::ApiKey {
        header: HeaderName::from_static("api-key"),
        key: SecretString::from("k"),
    };
    let headers = sign(&Machine::new("key").signer(key).unwrap())
        .await
        .unwrap();
    assert_eq!(headers.get("api-key").unwrap(), "k");
    let bad = Auth::ApiKey {
        header: HeaderName::from_static("api-key"),
        key: SecretString::from("hunter2\n"),
    };
    let fault = Machine::new("bad-key").fault(bad);
    assert_eq!(fault.field, "auth.key");
    assert!(!format!("{fault:?}").contains("hunter2"));
}
