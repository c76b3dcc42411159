//! Solves large queries on a thread of their own, because Bitwuzla does not ask in every phase whether to go on. When
//! it does not come back in time the thread is left behind with everything it holds: it ends by itself at the next
//! question. Costs one hand-over per query.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use super::handle::{Node, Stop, Verdict};
use super::session::Session;
use crate::Budget;

/// Threads that may be left behind, still running, before large queries are declined at once.
const MAX_LEFT_BEHIND: usize = 3;

struct Job {
    session: Box<Session>,
    assumptions: Vec<Node>,
    stop: Stop,
}

type Done = (Box<Session>, Verdict, u64);

struct Thread {
    jobs: Sender<Job>,
    done: Receiver<Done>,
}

impl Thread {
    fn start(running: Arc<AtomicUsize>) -> std::io::Result<Thread> {
        let (jobs, inbox) = channel::<Job>();
        let (outbox, done) = channel::<Done>();
        running.fetch_add(1, Ordering::Relaxed);
        let counter = Arc::clone(&running);
        let started = std::thread::Builder::new().name("bitwuzla".into()).spawn(move || {
            while let Ok(Job { mut session, assumptions, stop }) = inbox.recv() {
                let (verdict, polls) = session.handle.check(&assumptions, stop);
                if outbox.send((session, verdict, polls)).is_err() {
                    break;
                }
            }
            counter.fetch_sub(1, Ordering::Relaxed);
        });
        if let Err(error) = started {
            running.fetch_sub(1, Ordering::Relaxed);
            return Err(error);
        }
        Ok(Thread { jobs, done })
    }
}

#[derive(Default)]
pub struct Watchdog {
    thread: Option<Thread>,
    /// Threads that have not ended: the current one and those left behind.
    running: Arc<AtomicUsize>,
}

impl Watchdog {
    /// `None`: the check did not come back in time and is lost with its session.
    pub fn check(
        &mut self,
        session: Box<Session>,
        assumptions: Vec<Node>,
        stop: Stop,
        budget: &Budget,
    ) -> Option<Done> {
        if self.thread.is_none() {
            if self.running.load(Ordering::Relaxed) >= MAX_LEFT_BEHIND {
                return None;
            }
            self.thread = Thread::start(Arc::clone(&self.running)).ok();
        }
        let thread = self.thread.as_ref()?;
        let abandoned = Arc::clone(&stop.abandoned);
        let cancel = Arc::clone(&stop.cancel);
        let mut last = Instant::now() + budget.time.unwrap_or_default() + budget.patience;
        thread.jobs.send(Job { session, assumptions, stop }).ok()?;
        let mut cancelled = false;
        loop {
            // Short waits, so that a request to stop everything is not kept waiting by a phase that does not ask.
            let wait = last.saturating_duration_since(Instant::now()).min(Duration::from_millis(200));
            match thread.done.recv_timeout(wait) {
                Ok(done) => return Some(done),
                Err(RecvTimeoutError::Timeout) if Instant::now() < last => {
                    if !cancelled && cancel.load(Ordering::Relaxed) {
                        cancelled = true;
                        last = last.min(Instant::now() + Duration::from_millis(300));
                    }
                }
                Err(_) => {
                    abandoned.store(true, Ordering::Relaxed);
                    self.thread = None;
                    return None;
                }
            }
        }
    }
}
