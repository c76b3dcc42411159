//! The threads that workers do their tasks on: handed over by channel, each with its worker, and handed back the same
//! way. Whoever does not come back in time after everything was told to stop is left behind.

use super::worker::{Done, Task, Worker};
use crate::campaign::EngineError;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// A worker that came back.
pub(crate) struct Returned {
    pub number: usize,
    pub worker: Box<Worker>,
    pub done: Result<Done, EngineError>,
    /// By the clock on the wall.
    pub spent: Duration,
}

struct Lane {
    tasks: Sender<(Box<Worker>, Task)>,
    thread: Option<JoinHandle<()>>,
}

/// Invariant: a worker is either in `idle` or on its lane, with its number in `away`.
pub(crate) struct Team {
    lanes: Vec<Lane>,
    returned: Receiver<Returned>,
    /// Those who wait for something to do, and their numbers.
    idle: Vec<(usize, Box<Worker>)>,
    away: usize,
}

impl Team {
    pub fn new(workers: Vec<Worker>) -> std::io::Result<Team> {
        let (home, returned) = channel();
        let mut lanes = vec![];
        for number in 0..workers.len() {
            let (tasks, inbox) = channel::<(Box<Worker>, Task)>();
            let home: Sender<Returned> = home.clone();
            let thread = std::thread::Builder::new().name(format!("worker {number}")).spawn(move || {
                while let Ok((mut worker, task)) = inbox.recv() {
                    let begin = Instant::now();
                    let done = worker.work(task);
                    if home.send(Returned { number, worker, done, spent: begin.elapsed() }).is_err() {
                        break;
                    }
                }
            })?;
            lanes.push(Lane { tasks, thread: Some(thread) });
        }
        Ok(Team { lanes, returned, idle: workers.into_iter().map(Box::new).enumerate().collect(), away: 0 })
    }

    pub fn away(&self) -> usize {
        self.away
    }

    /// Somebody who has nothing to do.
    pub fn idle(&mut self) -> Option<(usize, Box<Worker>)> {
        self.idle.pop()
    }

    pub fn rest(&mut self, number: usize, worker: Box<Worker>) {
        self.idle.push((number, worker));
    }

    pub fn send(&mut self, number: usize, worker: Box<Worker>, task: Task) {
        // A lane that is closed has a thread that ended, which is found out by waiting.
        self.away += 1;
        let _ = self.lanes[number].tasks.send((worker, task));
    }

    /// The next one to come back, if that is soon. A worker that panicked takes the campaign with it.
    pub fn wait(&mut self, patience: Duration) -> Option<Returned> {
        match self.returned.recv_timeout(patience) {
            Ok(returned) => {
                self.away -= 1;
                Some(returned)
            }
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {
                let ended = |lane: &&mut Lane| lane.thread.as_ref().is_some_and(JoinHandle::is_finished);
                let thread = self.lanes.iter_mut().find(ended).and_then(|lane| lane.thread.take());
                if let Some(Err(panic)) = thread.map(JoinHandle::join) {
                    std::panic::resume_unwind(panic);
                }
                None
            }
        }
    }

    /// Everybody who is here.
    pub fn dismiss(self) -> Vec<Box<Worker>> {
        self.idle.into_iter().map(|(_, worker)| worker).collect()
    }
}
