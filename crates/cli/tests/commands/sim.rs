//! `punctual sim`: it starts, does what it is told, and says what its sockets saw.

use crate::{
    support::{Caller, Request, gateway::Lines, ms, run},
    term::Folder,
};
use std::{
    net::SocketAddr,
    process::{Child, Command, Stdio},
};

struct Sim {
    child: Child,
    out: Lines,
    err: Lines,
    _folder: Folder,
}

impl Sim {
    fn start(args: &[&str]) -> Self {
        let folder = Folder::new();
        let mut all = vec!["sim", "--listen", "127.0.0.1:0"];
        all.extend(args);
        let mut child = folder
            .command(&all)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        Self {
            out: Lines::follow(child.stdout.take().unwrap()),
            err: Lines::follow(child.stderr.take().unwrap()),
            child,
            _folder: folder,
        }
    }

    fn addr(&self) -> SocketAddr {
        let place = |line: &str| {
            let rest = line.strip_prefix("simulator on ")?.trim_end_matches("/v1");
            let host = rest.rsplit('/').next()?;
            host.replace("localhost", "127.0.0.1").parse().ok()
        };
        self.out
            .find(ms(10_000), place)
            .expect("it says where it listens")
    }

    fn said(&self, what: &str) -> String {
        let found = self
            .out
            .find(ms(10_000), |l| l.contains(what).then(|| l.to_owned()));
        found.unwrap_or_else(|| panic!("{what:?} is not in {:#?}", self.out.all()))
    }
}

impl Drop for Sim {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn it_serves_what_a_model_is_told_to_do_and_reports_how_each_request_ended() {
    run(async {
        let sim = Sim::start(&[
            "--model",
            "fast=tokens=3",
            "--model",
            "stuck=silent-headers",
        ]);
        let answer = Caller::connect(sim.addr())
            .await
            .ask(&Request::chat("fast", true))
            .await;
        assert_eq!(answer.content(), "tok0 tok1 tok2 ");
        sim.said("POST /v1/chat/completions \"fast\": arrived at");
        let mut caller = Caller::connect(sim.addr()).await;
        caller.send(&Request::chat("stuck", true)).await;
        let report = Request::get("/_sim/report");
        loop {
            let seen = Caller::connect(sim.addr()).await.ask(&report).await.json();
            if seen["requests"]
                .as_array()
                .unwrap()
                .iter()
                .any(|r| r["model"] == "stuck")
            {
                break;
            }
        }
        caller.leave();
        assert!(sim.said("\"stuck\"").contains("closed by the caller"));
    });
}

#[test]
fn as_json_each_line_is_an_object() {
    run(async {
        let sim = Sim::start(&["--json", "--model", "m=tokens=1"]);
        // without the words for people there is no line to find the port in
        let addr = sim.listening();
        Caller::connect(addr)
            .await
            .ask(&Request::chat("m", false))
            .await;
        let line = sim.said("\"model\":\"m\"");
        let said: serde_json::Value = serde_json::from_str(&line).unwrap();
        assert_eq!(said["path"], "/v1/chat/completions");
    });
}

impl Sim {
    fn listening(&self) -> SocketAddr {
        let place = |line: &str| {
            let said: serde_json::Value = serde_json::from_str(line).ok()?;
            said["listening"].as_str()?.rsplit('/').next()?.parse().ok()
        };
        self.out
            .find(ms(10_000), place)
            .expect("it says where it listens")
    }
}

#[test]
fn over_tls_the_certificate_to_trust_is_printed() {
    run(async {
        let sim = Sim::start(&["--tls"]);
        let addr = sim.addr();
        sim.err
            .find(ms(10_000), |l| l.contains("END CERTIFICATE").then_some(()))
            .unwrap();
        let pem = sim.err.all().join("\n");
        let answer = Caller::connect_tls(addr, &pem)
            .await
            .ask(&Request::chat("sim:tokens:2", false))
            .await;
        assert_eq!(answer.status, 200, "{}", answer.text());
    });
}

#[test]
fn a_signal_ends_it_well() {
    for signal in ["-INT", "-TERM"] {
        let mut sim = Sim::start(&[]);
        sim.addr();
        let sent = Command::new("kill")
            .args([signal, &sim.child.id().to_string()])
            .status();
        assert!(sent.unwrap().success());
        assert_eq!(sim.child.wait().unwrap().code(), Some(0), "{signal}");
    }
}

#[test]
fn an_address_that_is_taken_is_exit_code_3() {
    let sim = Sim::start(&[]);
    let ran = Folder::new().run(&["sim", "--listen", &sim.addr().to_string()]);
    assert_eq!(ran.code, Some(3));
    assert!(ran.err.contains("choose another address"), "{}", ran.err);
}

#[test]
fn help_explains_every_word_of_a_script() {
    let help = Folder::new().run(&["sim", "--help"]).out;
    for word in punctual_sim::words() {
        assert!(help.contains(&format!("  {}", word.name)), "{}", word.name);
    }
}
