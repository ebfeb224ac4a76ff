//! Writes lines out from a thread of its own.
//!
//! Lines wait in one buffer of bounded size. The thread is woken by the first line in an empty buffer,
//! waits a moment for more, then takes the whole buffer, leaves the one it wrote before in its place, and
//! writes in one call: at most some twenty wake-ups a second, whatever the load. What does not fit, or cannot
//! be written, is dropped and counted.

use std::{
    io::{self, Write},
    sync::{
        Arc, Condvar, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
    thread,
    time::Duration,
};
use tokio::sync::oneshot;

/// Bytes of lines that may wait.
const MOST: usize = 4 << 20;
/// How long the first line waits for more.
const GATHER: Duration = Duration::from_millis(50);
/// From this many bytes on they are not waited for.
const ENOUGH: usize = 256 << 10;

#[derive(Debug, Default)]
struct Waiting {
    bytes: Vec<u8>,
    lines: u64,
    flushes: Vec<oneshot::Sender<()>>,
    closed: bool,
}

impl Waiting {
    fn urgent(&self) -> bool {
        self.closed || !self.flushes.is_empty() || self.bytes.len() >= ENOUGH
    }
}

/// The lines that wait, shared with the thread.
#[derive(Debug, Default)]
pub(crate) struct Lines {
    waiting: Mutex<Waiting>,
    changed: Condvar,
    dropped: AtomicU64,
}

impl Lines {
    /// Starts the thread that writes to `to`; it ends after [`Lines::close`].
    pub(crate) fn start(to: Box<dyn Write + Send>) -> io::Result<Arc<Self>> {
        let lines = Arc::new(Self::default());
        let shared = lines.clone();
        thread::Builder::new()
            .name("punctual-log".to_owned())
            .spawn(move || shared.run(to))?;
        Ok(lines)
    }

    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes one line, its end included.
    pub(crate) fn push(&self, line: &[u8]) {
        let mut waiting = self.lock();
        let before = waiting.bytes.len();
        let after = before + line.len();
        if after > MOST {
            drop(waiting);
            self.dropped.fetch_add(1, Relaxed);
            return;
        }
        waiting.bytes.extend_from_slice(line);
        waiting.lines += 1;
        drop(waiting);
        if before == 0 || (before < ENOUGH && after >= ENOUGH) {
            self.changed.notify_one();
        }
    }

    /// Resolves when all that was pushed before has been written.
    pub(crate) fn flush(&self) -> oneshot::Receiver<()> {
        let (done, written) = oneshot::channel();
        self.lock().flushes.push(done);
        self.changed.notify_one();
        written
    }

    /// Ends the thread once it has written what is there.
    pub(crate) fn close(&self) {
        self.lock().closed = true;
        self.changed.notify_one();
    }

    /// Lines that were not written, since the start.
    pub(crate) fn dropped(&self) -> u64 {
        self.dropped.load(Relaxed)
    }

    /// Waits for lines and takes them; further ones go into `spare`.
    fn next(&self, spare: Vec<u8>) -> Waiting {
        let idle = |w: &mut Waiting| w.bytes.is_empty() && !w.urgent();
        let some = self.changed.wait_while(self.lock(), idle);
        let some = some.unwrap_or_else(PoisonError::into_inner);
        let more = self
            .changed
            .wait_timeout_while(some, GATHER, |w| !w.urgent());
        let (mut enough, _) = more.unwrap_or_else(PoisonError::into_inner);
        let further = Waiting {
            bytes: spare,
            closed: enough.closed,
            ..Waiting::default()
        };
        std::mem::replace(&mut *enough, further)
    }

    fn run(&self, mut to: Box<dyn Write + Send>) {
        let mut spare = Vec::new();
        loop {
            let mut taken = self.next(spare);
            if to
                .write_all(&taken.bytes)
                .and_then(|()| to.flush())
                .is_err()
            {
                self.dropped.fetch_add(taken.lines, Relaxed);
            }
            for flush in taken.flushes {
                let _ = flush.send(());
            }
            if taken.closed {
                return;
            }
            // a jam leaves no buffer of its size behind
            taken.bytes.clear();
            taken.bytes.shrink_to(2 * ENOUGH);
            spare = taken.bytes;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;

    struct Sink(Arc<Mutex<Vec<u8>>>);
    impl Write for Sink {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().extend_from_slice(bytes);
            Ok(bytes.len())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    /// Takes nothing until it is let go.
    struct Stuck(mpsc::Receiver<()>);
    impl Write for Stuck {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            let _ = self.0.recv();
            Err(io::ErrorKind::BrokenPipe.into())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[tokio::test]
    async fn a_flush_waits_for_all_that_was_pushed() {
        let out = Arc::new(Mutex::new(Vec::new()));
        let lines = Lines::start(Box::new(Sink(out.clone()))).unwrap();
        for _ in 0..1000 {
            lines.push(b"line\n");
        }
        lines.flush().await.unwrap();
        assert_eq!(out.lock().unwrap().len(), 5000);
        assert_eq!(lines.dropped(), 0);
        lines.close();
    }

    #[tokio::test]
    async fn a_sink_that_takes_nothing_blocks_nobody_and_its_losses_are_counted() {
        let (go, held) = mpsc::sync_channel(1);
        let lines = Lines::start(Box::new(Stuck(held))).unwrap();
        let line = vec![b'x'; 1 << 20];
        for _ in 0..16 {
            lines.push(&line);
        }
        assert!(lines.dropped() >= 8, "the buffer is bounded");
        drop(go);
        lines.flush().await.unwrap();
        lines.flush().await.unwrap();
        assert_eq!(lines.dropped(), 16, "what could not be written is lost");
        lines.close();
    }
}
