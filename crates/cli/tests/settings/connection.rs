//! Where and as whom: keys that a provider has, and a target without a provider.
//!
//! Each is proved at both, in the same words: `{link}` is where they stand.

use crate::{
    mutual,
    row::{ROW, Row, marked, rows},
    stage::Stage,
    support::Request,
};
use std::path::Path;

/// Keys of a connection; each is proved below `providers.*` and below `targets.*`.
pub struct Link {
    pub keys: &'static [&'static str],
    /// What stands in the provider, or in the target; marked as a row is.
    pub link: &'static str,
    pub env: &'static [(&'static str, &'static str)],
    pub files: fn(&Path),
    pub look: fn(&Stage) -> bool,
}

pub const LINK: Link = Link {
    keys: &[],
    link: "",
    env: &[],
    files: |_| {},
    look: |_| false,
};

const PROVIDER: &str = "providers: { vllm: { {link} } }\ntargets: { t: { provider: vllm, model: t } }\nroutes: { r: { plan: t } }\n";
const TARGET: &str = "targets: { vllm: { model: t, {link} } }\nroutes: { r: { plan: vllm } }\n";

impl Link {
    pub fn prove(&self) {
        for form in [PROVIDER, TARGET] {
            let run = |with: bool| {
                let stage = Stage::start(
                    &form.replace("{link}", &marked(self.link, with)),
                    self.env,
                    self.files,
                );
                ((self.look)(&stage), stage.story())
            };
            std::thread::scope(|s| {
                let second = s.spawn(|| run(false));
                let (seen, story) = run(true);
                assert!(seen, "{:?} have no effect in {form}:\n{story}", self.keys);
                let (seen, story) = second.join().unwrap();
                assert!(
                    !seen,
                    "the effect of {:?} is there without them in {form}:\n{story}",
                    self.keys
                );
            });
        }
    }
}

fn served(s: &Stage) -> bool {
    s.chat("r", false).status == 200
}

pub fn sent(s: &Stage, name: &str) -> Option<String> {
    s.chat("r", true);
    s.forwarded(name)
}

/// Both paths of each key below.
macro_rules! links {
    ($($name:ident: [$($key:literal),*] $link:expr;)*) => {
        pub const COVERS: &[&str] = &[$($(concat!("providers.*.", $key), concat!("targets.*.", $key),)*)*];
        $(#[test] fn $name() { Link { keys: &[$($key),*], ..$link }.prove(); })*
    };
}
pub(crate) use links;

links! {
    the_dialect_says_what_is_understood: ["dialect"] Link {
        // by its name it is a server that needs no key, and with one it would not start
        link: "base_url: \"{upstream}/v1\", «dialect: openai, api_key: sk-test»",
        look: |s| sent(s, "authorization").as_deref() == Some("Bearer sk-test"),
        ..LINK
    };
    requests_go_to_the_base_url: ["base_url"] Link {
        link: "dialect: openai, api_key: sk-test, base_url: «\"{upstream}/deep/v1\"|\"{upstream}/v1\"»",
        look: |s| {
            s.chat("r", false);
            s.sim.report()[0].path == "/deep/v1/chat/completions"
        },
        ..LINK
    };
    the_key_is_sent: ["api_key"] Link {
        link: "dialect: openai, base_url: \"{upstream}/v1\", «api_key: sk-ours»",
        look: |s| sent(s, "authorization").as_deref() == Some("Bearer sk-ours"),
        ..LINK
    };
    the_key_may_stand_in_a_file: ["api_key_file"] Link {
        link: "dialect: openai, base_url: \"{upstream}/v1\", «api_key_file: {dir}/key»",
        files: |dir| std::fs::write(dir.join("key"), "sk-in-a-file\n").unwrap(),
        look: |s| sent(s, "authorization").as_deref() == Some("Bearer sk-in-a-file"),
        ..LINK
    };
    the_callers_own_credential_is_passed_through: ["auth"] Link {
        link: "dialect: openai, base_url: \"{upstream}/v1\", «auth: passthrough»",
        look: |s| {
            s.ask(&Request::chat("r", false).with("authorization", "Bearer sk-callers"));
            s.forwarded("authorization").as_deref() == Some("Bearer sk-callers")
        },
        ..LINK
    };
    only_the_authority_named_is_trusted: ["ca_file"] Link {
        link: "dialect: openai, base_url: \"{tls}/v1\", api_key: sk-test, «ca_file: {dir}/upstream-ca.pem»",
        look: served,
        ..LINK
    };
    our_certificate_is_shown: ["client_cert_file", "client_key_file"] Link {
        link: "dialect: openai, base_url: \"https://localhost:{mutual}/v1\", api_key: sk-test, ca_file: {dir}/ca.pem, \
               «client_cert_file: {dir}/client.pem, client_key_file: {dir}/client-key.pem»",
        files: mutual::start,
        look: served,
        ..LINK
    };
    requests_go_through_the_proxy: ["proxy"] Link {
        link: "dialect: openai, base_url: \"{upstream}/v1\", api_key: sk-test, «proxy: \"{other}\"»",
        look: |s| {
            s.chat("r", false);
            s.other.report().len() == 1 && s.sim.report().is_empty()
        },
        ..LINK
    };
    a_host_may_be_reached_without_it: ["no_proxy"] Link {
        link: "dialect: openai, base_url: \"{upstream}/v1\", api_key: sk-test, proxy: \"{other}\", «no_proxy: 127.0.0.1»",
        look: |s| served(s) && s.other.report().is_empty() && s.sim.report().len() == 1,
        ..LINK
    };
}

rows! {
    the_provider_is_asked: Row {
        covers: &["targets.*.provider"],
        config: concat!(
            "providers:\n",
            "  a: { dialect: openai, base_url: \"{upstream}/a/v1\", api_key: sk-a }\n",
            "  b: { dialect: openai, base_url: \"{upstream}/b/v1\", api_key: sk-b }\n",
            "targets: { t: { «provider: b|provider: a», model: t } }\n",
            "routes: { r: { plan: t } }\n",
        ),
        look: |s| {
            s.chat("r", false);
            s.sim.report()[0].path.starts_with("/b/") && s.forwarded("authorization").as_deref() == Some("Bearer sk-b")
        },
        ..ROW
    };
    the_model_is_asked_for: Row {
        covers: &["targets.*.model"],
        config: concat!(
            "providers: { sim: { dialect: openai, base_url: \"{upstream}/v1\", api_key: sk-test } }\n",
            "targets: { t: { provider: sim, «model: b|model: a» } }\n",
            "routes: { r: { plan: t } }\n",
        ),
        look: |s| {
            s.chat("r", false);
            s.sim.report()[0].model == "b"
        },
        ..ROW
    };
}
