//! Walks and snapshots: a run that goes on by itself until nothing new comes, stands still right before an input
//! statement, and lets copies of itself be tried out from there.

use crate::channel::Heard;
use crate::end::End;
use crate::input::Input;
use crate::server::{PATIENCE, Run, Server, ServerError};
use crate::target::Limits;
use std::mem::offset_of;
use std::time::{Duration, Instant};
use symcrete_abi::control::{CommandKind, Halt, Mode};
use symcrete_abi::layout::{Header, Stop, walk};
use symcrete_process::{Kept, Status};

/// How a walk is to go.
#[derive(Clone, Copy, Debug, Default)]
pub struct Walk {
    /// Inputs without a new side after which it stands still; 0: it does not.
    pub quiet: u32,
    /// It stands still where it took a side that was not known.
    pub news: bool,
    /// Values other than uniform bits.
    pub mixture: bool,
    /// It says what state it is in where it stands.
    pub state: bool,
    /// How long a leg may take in all, however much it asks for; it is given up then.
    pub most: Option<Duration>,
}

/// One leg of a walk: from where it was to where it stands, or to its end.
#[derive(Clone, Debug)]
pub struct Leg {
    /// Why it stands still; none: it has ended.
    pub halt: Option<Halt>,
    /// What it was given in this leg, and how it ended if it did.
    pub run: Run,
    /// Input statements of this leg.
    pub statements: u32,
    /// Bytes of standard input or of the socket that were used up where it stands.
    pub position: usize,
}

/// The state a run from a snapshot was in when its inputs were used up, or that a walk stands in. The former has traces
/// of how it was followed in it, the latter has not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cell {
    pub state: u64,
    /// How often the rarest value in it was seen.
    pub rarity: u32,
    /// Bytes of standard input or of the socket that were used up.
    pub position: usize,
}

impl Server {
    /// A walk from the start of the program.
    pub fn walk(&mut self, input: &Input, limits: &Limits, walk: Walk) -> Result<Leg, ServerError> {
        self.end_walk();
        let mut tries = 0;
        loop {
            tries += 1;
            self.live()?;
            self.prepare_leg(input, limits, walk)?;
            match self.command(CommandKind::Walk, Mode::Tracking) {
                Heard::Started { pid } => {
                    if let Some(live) = &mut self.live {
                        live.walker = live.child.number_of(pid);
                    }
                    return Ok(self.follow_leg(limits, walk.most));
                }
                Heard::Failed { errno, .. } if tries > 2 => {
                    let error = std::io::Error::from_raw_os_error(errno);
                    return Err(ServerError::Fork { program: self.name(), error });
                }
                _ if tries <= 2 => self.stop(),
                _ => return Ok(self.leg(None, End::Lost, 0.0)),
            }
        }
    }

    /// The walk goes on from where it stands, with the requested objects of `input` first.
    pub fn walk_on(&mut self, input: &Input, limits: &Limits, walk: Walk) -> Result<Leg, ServerError> {
        self.prepare_leg(input, limits, walk)?;
        self.kept = None;
        if !self.send_to_walk(CommandKind::Walk, Mode::Tracking) {
            return Ok(self.lost_walk());
        }
        Ok(self.follow_leg(limits, walk.most))
    }

    /// Runs an input from where the walk stands, tracked from there on. The walk is as it was afterwards. None: it
    /// is gone.
    pub fn run_from_snapshot(&mut self, input: &Input, limits: &Limits) -> Result<Option<Run>, ServerError> {
        if self.live.as_ref().is_none_or(|live| live.walker.is_none()) {
            return Ok(None);
        }
        if self.kept.is_none() {
            self.kept = Some(self.scratch.keep());
        }
        self.prepare(input, limits)?;
        let begin = Instant::now();
        if !matches!(self.command(CommandKind::Run, Mode::Tracking), Heard::Started { .. }) {
            self.stop();
            return Ok(None);
        }
        let end = match self.until_reply(begin + limits.timeout, limits) {
            Ok(Heard::Ended { status }) => End::from_status(Status::from_wait(status), None, false),
            Ok(_) => {
                self.stop();
                return Ok(None);
            }
            Err(end) => {
                self.send_to_walk(CommandKind::Stop, Mode::Tracking);
                let heard = self.live.as_mut().map(|live| live.channel.hear(Instant::now() + PATIENCE));
                if !matches!(heard, Some(Heard::Ended { .. })) {
                    self.stop();
                    return Ok(None);
                }
                end
            }
        };
        let seconds = begin.elapsed().as_secs_f64();
        self.tidy_below_walk();
        let run = self.judge(end, seconds);
        Ok(Some(run))
    }

    /// What state the last run from a snapshot ended in, or the walk stands in; none where its inputs were not used up, or
    /// it was not asked.
    pub fn cell(&self) -> Option<Cell> {
        let header = self.shm.header();
        let position = usize::try_from(header.stream_position).unwrap_or(usize::MAX);
        (header.cell != 0).then_some(Cell { state: header.cell, rarity: header.rarity, position })
    }

    /// Input statements of the last run from a snapshot.
    pub fn statements(&self) -> u32 {
        self.shm.header().statements
    }

    /// Sides of the last run are known from now on: walks do not stop there.
    pub fn absorb_sides(&mut self) {
        self.shm.absorb_sides();
    }

    /// A value that walks may draw.
    pub fn offer_value(&mut self, bytes: &[u8]) {
        self.shm.offer_value(bytes);
    }

    /// Words that walks may spell, over several requests.
    pub fn offer_texts<'a>(&mut self, texts: impl Iterator<Item = &'a [u8]>) {
        self.shm.offer_texts(texts);
    }

    /// Ends the walk, wherever it stands.
    pub fn end_walk(&mut self) {
        self.kept = None;
        let Some(live) = &mut self.live else { return };
        if live.walker.take().is_none() {
            return;
        }
        let told = live.channel.send(CommandKind::Quit, Mode::Tracking, 0).is_ok();
        if !told || !matches!(live.channel.hear(Instant::now() + PATIENCE), Heard::Ended { .. }) {
            return self.stop();
        }
        self.tidy();
    }

    fn prepare_leg(&mut self, input: &Input, limits: &Limits, walk: Walk) -> Result<(), ServerError> {
        self.prepare(input, limits)?;
        let flag = |on: bool, flag: u32| if on { flag } else { 0 };
        let flags = flag(walk.news, walk::NEWS) | flag(walk.mixture, walk::MIXTURE) | flag(walk.state, walk::STATE);
        self.shm.set_u32(offset_of!(Header, walk_quiet), walk.quiet);
        self.shm.set_u32(offset_of!(Header, walk_flags), flags);
        Ok(())
    }

    fn send_to_walk(&mut self, kind: CommandKind, mode: Mode) -> bool {
        self.live.as_mut().is_some_and(|live| live.walker.is_some() && live.channel.send(kind, mode, 0).is_ok())
    }

    fn lost_walk(&mut self) -> Leg {
        self.stop();
        self.leg(None, End::Lost, 0.0)
    }

    fn leg(&mut self, halt: Option<Halt>, end: End, seconds: f64) -> Leg {
        let header = self.shm.header();
        let position = usize::try_from(header.stream_position).unwrap_or(usize::MAX);
        Leg { halt, run: self.judge(end, seconds), statements: header.statements, position }
    }

    /// A walk may take as long as it likes, as long as it keeps asking for input, unless there is a bound on that.
    fn follow_leg(&mut self, limits: &Limits, most: Option<Duration>) -> Leg {
        let begin = Instant::now();
        let (mut asked, mut since) = (0, begin);
        let step = (limits.timeout / 4).clamp(Duration::from_millis(1), Duration::from_millis(50));
        let end = loop {
            match self.until_reply(Instant::now() + step, limits) {
                Ok(Heard::Snapshot { halt }) => {
                    return self.leg(Some(halt), End::Exit(0), begin.elapsed().as_secs_f64());
                }
                Ok(Heard::Ended { status }) => break End::from_status(Status::from_wait(status), None, false),
                Ok(_) => return self.lost_walk(),
                Err(End::Timeout) if most.is_some_and(|most| begin.elapsed() >= most) => {
                    self.end_run();
                    break End::Stopped(Stop::Inputs);
                }
                Err(End::Timeout) => {
                    let now = self.shm.header().statements;
                    if now > asked {
                        (asked, since) = (now, Instant::now());
                    } else if since.elapsed() >= limits.timeout {
                        self.end_run();
                        break End::Timeout;
                    }
                }
                Err(end) => {
                    self.end_run();
                    break end;
                }
            }
        };
        if let Some(live) = &mut self.live {
            live.walker = None;
        }
        let leg = self.leg(None, end, begin.elapsed().as_secs_f64());
        self.tidy();
        leg
    }

    /// After a run from a snapshot: nothing it started lives on, and its files are those of the walk again.
    fn tidy_below_walk(&mut self) {
        if let Some(live) = &mut self.live
            && !live.child.kill_descendants_except(live.walker)
        {
            return self.stop();
        }
        let restored = self.kept.as_ref().is_none_or(|kept: &Kept| self.scratch.put_back(kept).is_ok());
        if !restored {
            self.stop();
        }
    }
}
