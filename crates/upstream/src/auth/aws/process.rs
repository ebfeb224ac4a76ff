//! Keys that a program prints (`credential_process`).
//!
//! Which program that is stands in the user's own shared files, which are trusted with keys already; nothing
//! of a request reaches it. It is run as AWS's SDKs for Python and Rust have it
//! (<https://docs.aws.amazon.com/sdkref/latest/guide/feature-process-credentials.html>), with these bounds:
//! - No shell: the line is parted into words, and the first is the program.
//! - It runs inside the attempt that needs the keys. When that is dropped the program is killed; what it
//!   started itself is not, but is read no more.
//! - What it prints is never repeated, and its messages are not kept: both may hold secrets.

use super::{Keys, lasting};
use crate::{
    auth::{cached::Lasting, moment::Moment, refusal::Refusal},
    spec::Fault,
};
use secrecy::SecretString;
use serde::Deserialize;
use std::{process::Stdio, time::Duration};
use tokio::{
    io::AsyncReadExt,
    process::{Child, Command},
    time::timeout,
};

mod line;

/// How long the program may take where the attempt allows more: it may have to ask somebody far away.
const LIMIT: Duration = Duration::from_secs(60);
/// What keys take, many times over.
const OUTPUT: usize = 64 * 1024;

/// A program that prints keys.
pub(super) struct Process {
    /// In messages.
    what: String,
    program: String,
    arguments: Vec<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Printed {
    version: u64,
    access_key_id: String,
    secret_access_key: SecretString,
    #[serde(default)]
    session_token: Option<SecretString>,
    #[serde(default)]
    expiration: Option<String>,
}

impl Process {
    /// `line` as it stands in the profile.
    pub(super) fn new(profile: &str, line: &str) -> Result<Self, Fault> {
        let mut words = line::words(line, cfg!(unix))
            .unwrap_or_default()
            .into_iter();
        let program = words.next().ok_or_else(|| {
            let problem = "has a credential_process that ends inside quotes or names no program";
            let fix =
                "write the program's full path and its arguments, those with blanks in quotes";
            Fault::new("auth.aws.profile", profile, problem, fix)
        })?;
        Ok(Self {
            what: format!("the credential_process of profile {profile}"),
            program,
            arguments: words.collect(),
        })
    }

    pub(super) async fn fetch(&self) -> Result<Lasting<Keys>, Refusal> {
        let printed = timeout(LIMIT, Box::pin(self.run())).await;
        let printed = printed.map_err(|_| {
            let late = format!("no answer within {} s", LIMIT.as_secs());
            Refusal::unreachable(&self.what, late)
        })??;
        let printed: Printed = serde_json::from_slice(&printed).map_err(|why| {
            let (line, column) = (why.line(), why.column());
            self.refusal(format!(
                "prints something else than JSON with Version, AccessKeyId and SecretAccessKey (line {line}, column {column})"
            ))
        })?;
        if printed.version != 1 {
            let problem = format!("prints keys in version {}, not 1", printed.version);
            return Err(self.refusal(problem));
        }
        let ends = printed.expiration.as_deref();
        if ends
            .and_then(Moment::parse)
            .is_some_and(|end| end.left().is_zero())
        {
            return Err(self.refusal("prints keys that have expired"));
        }
        let keys = Keys {
            id: printed.access_key_id,
            secret: printed.secret_access_key,
            token: printed.session_token,
        };
        Ok(match ends {
            Some(_) => lasting(keys, ends),
            // keys without an end are good until they are refused
            None => Lasting {
                value: keys,
                lasts: Some(Duration::MAX),
            },
        })
    }

    /// What the program prints.
    async fn run(&self) -> Result<Vec<u8>, Refusal> {
        let mut child = Command::new(&self.program)
            .args(&self.arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .kill_on_drop(true)
            .spawn()
            .map_err(|why| {
                let why = why.kind();
                self.refusal(format!("cannot be run: {why}; it takes the full path of a program, without ~ and variables"))
            })?;
        let printed = self.printed(&mut child).await?;
        let ended = child.wait().await;
        let ended = ended.map_err(|why| self.refusal(format!("is lost: {}", why.kind())))?;
        match ended.success() {
            true => Ok(printed),
            false => Err(self.refusal(format!("failed ({ended}); run it by hand to see why"))),
        }
    }

    async fn printed(&self, child: &mut Child) -> Result<Vec<u8>, Refusal> {
        let mut printed = Vec::new();
        let Some(stdout) = child.stdout.take() else {
            return Ok(printed);
        };
        let mut stdout = stdout.take(OUTPUT as u64 + 1);
        let read = stdout.read_to_end(&mut printed).await;
        read.map_err(|why| self.refusal(format!("cannot be read: {}", why.kind())))?;
        match printed.len() > OUTPUT {
            true => Err(self.refusal("prints more than 64 KiB")),
            false => Ok(printed),
        }
    }

    fn refusal(&self, problem: impl std::fmt::Display) -> Refusal {
        Refusal::local(&self.what, problem)
    }
}
