//! The gateway as a user runs it: the built binary, a configuration file, its own environment.

use std::{
    io::{BufRead, BufReader, Write},
    net::SocketAddr,
    path::PathBuf,
    process::{Child, Command, Stdio},
    sync::{Arc, Condvar, Mutex},
    time::{Duration, SystemTime},
};
use tokio::runtime::{Handle, RuntimeFlavor};

/// A running `punctual serve`; killed when dropped.
pub struct Gateway {
    child: Child,
    /// Where callers go.
    pub addr: SocketAddr,
    /// Where the administrator goes.
    pub admin: SocketAddr,
    pub config: PathBuf,
    stdout: Lines,
    stderr: Lines,
}

/// Lines a process wrote so far, and a way to wait for one.
#[derive(Clone, Default)]
pub struct Lines(Arc<(Mutex<Vec<String>>, Condvar)>);

impl Lines {
    pub fn follow(stream: impl std::io::Read + Send + 'static) -> Self {
        let lines = Self::default();
        let mine = lines.clone();
        std::thread::spawn(move || {
            for line in BufReader::new(stream).lines().map_while(Result::ok) {
                mine.0.0.lock().unwrap().push(line);
                mine.0.1.notify_all();
            }
        });
        lines
    }

    pub fn all(&self) -> Vec<String> {
        self.0.0.lock().unwrap().clone()
    }

    /// Waits for the first line of which `pick` makes something. Other tasks of a runtime go on meanwhile: the
    /// gateway gathers lines for some 50 ms, and what is measured beside must not wait for them.
    pub fn find<T>(&self, within: Duration, pick: impl FnMut(&str) -> Option<T>) -> Option<T> {
        match Handle::try_current().map(|runtime| runtime.runtime_flavor()) {
            Ok(RuntimeFlavor::MultiThread) => {
                tokio::task::block_in_place(|| self.wait(within, pick))
            }
            _ => self.wait(within, pick),
        }
    }

    fn wait<T>(&self, within: Duration, mut pick: impl FnMut(&str) -> Option<T>) -> Option<T> {
        let (lines, changed) = &*self.0;
        let start = SystemTime::now();
        let mut guard = lines.lock().unwrap();
        let mut looked = 0;
        loop {
            for line in &guard[looked..] {
                if let Some(found) = pick(line) {
                    return Some(found);
                }
            }
            looked = guard.len();
            let left = within.checked_sub(start.elapsed().unwrap_or_default())?;
            guard = changed.wait_timeout(guard, left).unwrap().0;
        }
    }
}

/// Where test files go; below the build directory, so that nothing is left elsewhere.
pub fn scratch(name: &str) -> PathBuf {
    let dir = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    std::fs::create_dir_all(&dir).unwrap();
    dir.join(format!("{name}-{}-{:x}", std::process::id(), rand()))
}

fn rand() -> u128 {
    SystemTime::now()
        .duration_since(SystemTime::UNIX_EPOCH)
        .unwrap()
        .as_nanos()
}

/// Writes a configuration file. `listen` and `admin` are added on free ports when the text has no `server`.
pub fn write_config(text: &str) -> PathBuf {
    let path = scratch("config").with_extension("yaml");
    let ports = "server: { listen: 127.0.0.1:0, admin: { listen: 127.0.0.1:0 } }\n";
    let text = if text.contains("server:") {
        text.to_owned()
    } else {
        format!("{ports}{text}")
    };
    std::fs::File::create(&path)
        .unwrap()
        .write_all(text.as_bytes())
        .unwrap();
    path
}

impl Gateway {
    /// Starts on a configuration text, with no environment but PATH.
    pub fn start(config: &str) -> Self {
        Self::start_with(config, &[])
    }

    pub fn start_with(config: &str, env: &[(&str, &str)]) -> Self {
        let path = write_config(config);
        let mut command = Self::command();
        command
            .args(["serve", "--config"])
            .arg(&path)
            .envs(env.iter().copied());
        Self::spawn(command, path)
    }

    /// The bare command, with a clean environment.
    pub fn command() -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_punctual"));
        command
            .env_clear()
            .env("PATH", std::env::var("PATH").unwrap_or_default());
        command
    }

    /// Starts any `serve` command and waits until it says where it listens.
    pub fn spawn(mut command: Command, config: PathBuf) -> Self {
        command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let stdout = Lines::follow(child.stdout.take().unwrap());
        let stderr = Lines::follow(child.stderr.take().unwrap());
        let said = |what: &'static str| {
            stderr.find(Duration::from_secs(20), |line| {
                let rest = line.split_once(what)?.1;
                rest.trim_start_matches(['h', 't', 'p', 's', ':', '/'])
                    .split_whitespace()
                    .next()?
                    .parse()
                    .ok()
            })
        };
        let (Some(addr), Some(admin)) = (said("listening on "), said("administration on ")) else {
            panic!("the gateway did not start: {:#?}", stderr.all());
        };
        Self {
            child,
            addr,
            admin,
            config,
            stdout,
            stderr,
        }
    }

    pub fn url(&self) -> String {
        format!("http://{}", self.addr)
    }

    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// The log lines of requests, waiting until there are `n`.
    pub fn log(&self, n: usize) -> Vec<serde_json::Value> {
        let mut seen = 0;
        let found = self.stdout.find(Duration::from_secs(10), |line| {
            seen += usize::from(line.starts_with('{'));
            (seen >= n).then_some(())
        });
        let lines = self.stdout.all();
        assert!(
            found.is_some() || n == 0,
            "{n} log lines expected, got {lines:#?}"
        );
        lines
            .iter()
            .filter_map(|l| serde_json::from_str(l).ok())
            .collect()
    }

    /// What it wrote to standard output: a line for each request.
    pub fn requests(&self) -> &Lines {
        &self.stdout
    }

    /// Whether a log line of a request comes within this time.
    pub fn logs_within(&self, within: Duration) -> bool {
        let found = self
            .stdout
            .find(within, |line| line.starts_with('{').then_some(()));
        found.is_some()
    }

    /// The program's own log.
    pub fn said(&self) -> &Lines {
        &self.stderr
    }

    /// Sends a signal by name, such as `TERM` or `HUP`.
    pub fn signal(&self, name: &str) {
        let status = Command::new("kill")
            .args([&format!("-{name}"), &self.pid().to_string()])
            .status()
            .unwrap();
        assert!(status.success());
    }

    /// Waits for the process to end by itself.
    pub fn wait(&mut self, within: Duration) -> Option<std::process::ExitStatus> {
        let start = SystemTime::now();
        while start.elapsed().unwrap_or_default() < within {
            if let Some(status) = self.child.try_wait().unwrap() {
                return Some(status);
            }
            std::thread::yield_now();
        }
        None
    }
}

impl Drop for Gateway {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = std::fs::remove_file(&self.config);
    }
}
