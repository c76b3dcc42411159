//! The threads that tasks are done on, each with its desk, and the workers that do them. There are more workers than
//! threads: while the campaign takes in what one of them brought, its thread is busy with the next. Tasks are handed over by channel, each
//! with its worker, and handed back the same way. Whoever does not come back in time after everything was told to stop
//! is left behind.

use super::worker::{Desk, Done, Task, Worker};
use crate::campaign::EngineError;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// A worker that came back.
pub(crate) struct Returned {
    pub number: usize,
    /// The thread it worked on.
    pub desk: usize,
    pub worker: Box<Worker>,
    pub done: Result<Done, EngineError>,
    /// By the clock on the wall.
    pub spent: Duration,
}

/// A worker with its number, and what it is to do.
type Sent = (usize, Box<Worker>, Task);

/// Invariant: a worker is either in `idle`, or counted in `away`: on its way to a thread, there, or on its way back.
pub(crate) struct Team {
    tasks: Sender<Sent>,
    threads: Vec<Option<JoinHandle<Desk>>>,
    returned: Receiver<Returned>,
    /// Those who wait for something to do, and their numbers.
    idle: Vec<(usize, Box<Worker>)>,
    away: usize,
}

impl Team {
    pub fn new(workers: Vec<Worker>, desks: Vec<Desk>) -> std::io::Result<Team> {
        let (home, returned) = channel();
        let (tasks, inbox) = channel::<Sent>();
        let inbox = Arc::new(Mutex::new(inbox));
        let spawn = |(number, mut desk): (usize, Desk)| {
            let (inbox, home): (_, Sender<Returned>) = (Arc::clone(&inbox), home.clone());
            std::thread::Builder::new().name(format!("job {number}")).spawn(move || {
                loop {
                    // Whoever waits for a task does nothing else, so nobody panics while holding it.
                    let next = inbox.lock().unwrap_or_else(PoisonError::into_inner).recv();
                    let Ok((who, mut worker, task)) = next else { break };
                    let begin = Instant::now();
                    let done = worker.work(task, &mut desk);
                    let spent = begin.elapsed();
                    if home.send(Returned { number: who, desk: number, worker, done, spent }).is_err() {
                        break;
                    }
                }
                desk
            })
        };
        let threads = desks.into_iter().enumerate().map(|each| spawn(each).map(Some)).collect::<Result<_, _>>()?;
        Ok(Team { tasks, threads, returned, idle: workers.into_iter().map(Box::new).enumerate().collect(), away: 0 })
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
        // If all threads have ended, waiting finds out.
        self.away += 1;
        let _ = self.tasks.send((number, worker, task));
    }

    /// The next one to come back, if that is soon. A worker that panicked takes the campaign with it.
    pub fn wait(&mut self, patience: Duration) -> Option<Returned> {
        match self.returned.recv_timeout(patience) {
            Ok(returned) => {
                self.away -= 1;
                Some(returned)
            }
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {
                let ended =
                    |thread: &&mut Option<JoinHandle<Desk>>| thread.as_ref().is_some_and(JoinHandle::is_finished);
                let thread = self.threads.iter_mut().find(ended).and_then(Option::take);
                if let Some(Err(panic)) = thread.map(JoinHandle::join) {
                    std::panic::resume_unwind(panic);
                }
                None
            }
        }
    }

    /// Sends everybody home; the desks that are free by then.
    pub fn dismiss(self, patience: Duration) -> Vec<Desk> {
        drop(self.tasks);
        let until = Instant::now() + patience;
        let free = |thread: &JoinHandle<Desk>| {
            while !thread.is_finished() && Instant::now() < until {
                std::thread::sleep(Duration::from_millis(1));
            }
            thread.is_finished()
        };
        self.threads.into_iter().flatten().filter(free).filter_map(|thread| thread.join().ok()).collect()
    }
}
