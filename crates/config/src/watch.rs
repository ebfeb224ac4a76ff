//! Hot reload: tells when the configuration has changed, and what it is now.
//!
//! Events of the file system only wake it up; what decides is the content of the file and of every file
//! it names, read until two readings agree. So an editor that writes in three steps, a secret mounted by
//! a swap of links and a `touch` are all right. Where events do not arrive (network mounts) the content
//! is looked at every few seconds. A file that has become wrong is told like a right one: whoever asked
//! keeps what it has and says so.

use crate::{config::Checked, environment::Environment, load};
use notify::{RecommendedWatcher, RecursiveMode, Watcher};
use sha2::{Digest, Sha256};
use std::{
    collections::HashSet,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};
use tokio::{
    sync::mpsc,
    task::spawn_blocking,
    time::{sleep, timeout},
};

/// Two equal readings this far apart are a file nobody is writing.
const SETTLE: Duration = Duration::from_millis(100);
/// Readings after which a file that keeps changing is taken as it is.
const READINGS: usize = 20;
/// How often the content is looked at without an event.
const POLL: Duration = Duration::from_secs(5);

/// Follows a configuration file and the files it names.
#[derive(Debug)]
pub struct Watch {
    file: PathBuf,
    files: Vec<PathBuf>,
    env: Arc<Environment>,
    seen: [u8; 32],
    folders: HashSet<PathBuf>,
    watcher: RecommendedWatcher,
    woken: mpsc::Receiver<()>,
}

impl Watch {
    /// Follows `file` and `files` from what they contain now.
    ///
    /// # Errors
    /// When the system gives no watcher.
    pub fn new(file: PathBuf, files: Vec<PathBuf>, env: Environment) -> notify::Result<Self> {
        let (wake, woken) = mpsc::channel(1);
        let watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
            // reading the files is an event too
            if event.is_ok_and(|e| !e.kind.is_access()) {
                let _ = wake.try_send(());
            }
        })?;
        let files = with(&file, files);
        let seen = content(&files);
        let mut watch = Self {
            file,
            files,
            env: Arc::new(env),
            seen,
            folders: HashSet::new(),
            watcher,
            woken,
        };
        watch.follow();
        Ok(watch)
    }

    /// The configuration after its next change, right or wrong.
    pub async fn changed(&mut self) -> Checked {
        loop {
            let _ = timeout(POLL, self.woken.recv()).await;
            let now = self.settled().await;
            if now == self.seen {
                continue;
            }
            self.seen = now;
            let Some(mut checked) = self.load().await else {
                continue;
            };
            // a file that is wrong may be right once a file it names is there
            let files = with(&self.file, checked.files.clone());
            if files != self.files {
                self.files = files;
                self.follow();
                // read first, loaded then: what is written in between is a change yet to come
                self.seen = self.read().await;
                checked = self.load().await.unwrap_or(checked);
            }
            return checked;
        }
    }

    async fn load(&self) -> Option<Checked> {
        let (file, env) = (self.file.clone(), self.env.clone());
        spawn_blocking(move || load(&file, &env)).await.ok()
    }

    async fn read(&self) -> [u8; 32] {
        let files = self.files.clone();
        spawn_blocking(move || content(&files))
            .await
            .unwrap_or(self.seen)
    }

    async fn settled(&self) -> [u8; 32] {
        let mut before = self.read().await;
        if before == self.seen {
            return before;
        }
        for _ in 0..READINGS {
            sleep(SETTLE).await;
            let now = self.read().await;
            if now == before {
                break;
            }
            before = now;
        }
        before
    }

    /// Watches folders, not files: a file that is replaced by a rename is another file.
    fn follow(&mut self) {
        for folder in self.files.iter().filter_map(|f| folder(f)) {
            // one that cannot be watched is still looked at by polling
            if !self.folders.contains(&folder)
                && self
                    .watcher
                    .watch(&folder, RecursiveMode::NonRecursive)
                    .is_ok()
            {
                self.folders.insert(folder);
            }
        }
    }
}

fn folder(file: &Path) -> Option<PathBuf> {
    let parent = file.parent()?;
    Some(if parent.as_os_str().is_empty() {
        PathBuf::from(".")
    } else {
        parent.to_owned()
    })
}

fn with(file: &Path, mut files: Vec<PathBuf>) -> Vec<PathBuf> {
    files.push(file.to_owned());
    files.sort();
    files.dedup();
    files
}

/// A digest of all files; one that is not there counts as such.
fn content(files: &[PathBuf]) -> [u8; 32] {
    let mut sum = Sha256::new();
    for file in files {
        match std::fs::read(file) {
            Ok(bytes) => sum.update(Sha256::digest(bytes)),
            Err(_) => sum.update(b"none"),
        }
    }
    sum.finalize().into()
}

#[cfg(test)]
mod tests;
