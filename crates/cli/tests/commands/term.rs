//! A terminal: runs a command to its end in a folder of its own, with nothing in its environment but PATH.

use crate::support::{Gateway, gateway::scratch};
use std::{path::PathBuf, process::Command};

/// What a command printed, and how it ended.
pub struct Ran {
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
}

/// An empty folder; removed when dropped.
pub struct Folder(pub PathBuf);

impl Folder {
    pub fn new() -> Self {
        let path = scratch("folder");
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    /// A folder with this `punctual.yaml`.
    pub fn with(config: &str) -> Self {
        let folder = Self::new();
        folder.write("punctual.yaml", config);
        folder
    }

    pub fn write(&self, name: &str, text: &str) {
        std::fs::write(self.0.join(name), text).unwrap();
    }

    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = Gateway::command();
        command.args(args).current_dir(&self.0);
        command
    }

    pub fn run(&self, args: &[&str]) -> Ran {
        self.run_with(args, &[])
    }

    pub fn run_with(&self, args: &[&str], env: &[(&str, &str)]) -> Ran {
        let out = self
            .command(args)
            .envs(env.iter().copied())
            .output()
            .unwrap();
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
        Ran {
            code: out.status.code(),
            out: text(&out.stdout),
            err: text(&out.stderr),
        }
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn an_unreadable_command_line_is_exit_code_2_and_says_what_would_be_read() {
    let folder = Folder::new();
    for (args, said) in [
        (&["serv"][..], "serve"),
        (&["serve", "--listen", "localhost:80"], "such as 127.0.0.1"),
        (&["demo", "--listen", "here"], "--listen"),
        (&["sim", "--model", "x"], "NAME=SCRIPT"),
        (&["sim", "--model", "x=nonsense"], "no such word"),
        (&["keys", "new", "--name", "a b"], "letter"),
        (&[], "Usage: punctual"),
    ] {
        let ran = folder.run(args);
        assert_eq!(ran.code, Some(2), "{args:?}: {}", ran.err);
        assert!(ran.err.contains(said), "{args:?}: {}", ran.err);
    }
}

#[test]
fn help_names_every_command_and_every_exit_code() {
    let help = Folder::new().run(&["--help"]);
    assert_eq!(help.code, Some(0));
    for word in [
        "serve",
        "check",
        "sim",
        "demo",
        "schema",
        "keys",
        "Exit codes: 0",
    ] {
        assert!(help.out.contains(word), "{word}: {}", help.out);
    }
}
