//! The recorded stream of a full path, followed through the program model.
//!
//! A walk goes by itself until the model does not say how to go on; then the next bits of the stream must, or
//! a mark. Marks that do not fit where the walk stands mean one of a few things that really happen: a
//! function entered from outside (a callback, a library model), an exception that arrived at its landing pad,
//! a `longjmp`. Anything else is an error that names the place, never a guess.

use crate::trace::Trace;
use crate::units::Units;
use symcrete_abi::path::{IS_MARK, MarkKind, unmark, width};
use symcrete_program::{BlockEnd, BlockPaths, FunctionId, PathCall, Program, SideId, UnitId, UnitPaths};
use symcrete_tree::{FullPath, Passed};

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PathError {
    #[error("word {word} of the full path is mark {number}, which no loaded unit has")]
    Mark { word: usize, number: u64 },
    #[error("a unit of the target carries nothing to read full paths by: build it again")]
    NoDetails,
    #[error("word {word} of the full path ({what}) does not fit: the walk is in {place}")]
    Unfit { word: usize, what: String, place: String },
}

/// What a walk meets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Met {
    /// A function; its block 0 comes with it.
    Enter(FunctionId),
    /// A block of the function entered last and not left yet.
    Block(u32),
    Side(SideId),
    Leave,
    /// The function entered last was left from within a call, by an exception or a `longjmp`, when so many calls of its
    /// block had come back.
    Drop(u32),
    /// The same of its block only: it goes on in another one, behind a call that returns again.
    Again {
        block: u32,
        calls: u32,
    },
    /// The run did not end by itself: what follows comes next, unless it died before.
    Rest,
}

/// Where a walk ended.
#[derive(Clone, Debug, Default)]
pub struct Walked {
    /// It had to stop because two activations could be meant.
    pub ambiguous: bool,
    /// Activations that were not left, the outermost first: function, block, how many of the block's calls came back.
    pub stack: Vec<(FunctionId, u32, u32)>,
}

/// The full path of the last run; nothing when none was asked for. `at` are the positions of the path's steps
/// in the stream (`abi::Event::arg`); `finished` says that the run ended by itself, in order.
pub fn full_path(
    trace: &Trace<'_>,
    units: &Units,
    program: &Program,
    at: &[u32],
    finished: bool,
) -> Result<Option<FullPath>, PathError> {
    let Some((words, cut)) = trace.path_words() else { return Ok(None) };
    let mut full = FullPath { cut, ..FullPath::default() };
    let mut steps = at.iter().peekable();
    let mut passed = Vec::with_capacity(words.len());
    let mut over = false;
    let walked = walk(&words, units, program, finished && !cut, &mut |position, met| {
        let Some(met) = met else {
            while steps.next_if(|step| u64::from(**step) <= position).is_some() {
                full.steps.push(passed.len() as u32);
            }
            return;
        };
        over |= met == Met::Rest;
        passed.push(match met {
            _ if over => return,
            Met::Enter(function) => Passed::Enter(function),
            Met::Side(side) => Passed::Side(side),
            Met::Leave | Met::Drop(_) => Passed::Leave,
            Met::Block(_) | Met::Again { .. } | Met::Rest => return,
        });
    })?;
    full.steps.resize(at.len(), passed.len() as u32);
    full.passed = passed;
    full.cut |= walked.ambiguous;
    Ok(Some(full))
}

/// Follows a stream. `meet` is told the position in the stream and what was met; nothing just before a
/// decision or a mark is used.
pub fn walk(
    words: &[u64],
    units: &Units,
    program: &Program,
    finished: bool,
    meet: &mut dyn FnMut(u64, Option<Met>),
) -> Result<Walked, PathError> {
    let mut walker = Walker { program, frames: vec![], word: 0, used: 0, silent: 0, meet };
    while let Some(&word) = words.get(walker.word) {
        walker.settle()?;
        let position = walker.position();
        (walker.meet)(position, None);
        if word & IS_MARK != 0 {
            let number = word & !IS_MARK;
            let unknown = PathError::Mark { word: walker.word, number };
            let found = u32::try_from(number).ok().and_then(|n| units.mark(n));
            let Some((unit, mark)) = found else { return Err(unknown) };
            let Some(&mark) = walker.paths(unit)?.marks.get(mark as usize) else { return Err(unknown) };
            if !walker.follow(unit, mark)? {
                return Ok(Walked { ambiguous: true, ..walker.end() });
            }
            walker.word += 1;
        } else {
            walker.decide(word)?;
            if walker.used == word.checked_ilog2().unwrap_or(0) {
                (walker.word, walker.used) = (walker.word + 1, 0);
            }
        }
        walker.silent = 0;
    }
    if !finished {
        walker.tell(Met::Rest);
    }
    walker.settle()?;
    Ok(walker.end())
}

/// How much a walk does between two words at most: without decisions no program goes on for longer.
const MOST_SILENT: usize = 1 << 20;

/// One activation. It stands in `block` before call number `call`, or behind all of them.
#[derive(Debug)]
struct Frame {
    unit: UnitId,
    function: u32,
    block: u32,
    /// The block before.
    from: u32,
    call: u32,
    /// Entered by something the walk does not see: what it returns to has not moved.
    foreign: bool,
    /// Calls that may return again.
    twice: Vec<u32>,
}

struct Walker<'a> {
    program: &'a Program,
    frames: Vec<Frame>,
    word: usize,
    /// Bits used of the word at hand.
    used: u32,
    /// What was done since the stream was last used.
    silent: usize,
    meet: &'a mut dyn FnMut(u64, Option<Met>),
}

impl<'a> Walker<'a> {
    fn paths(&self, unit: UnitId) -> Result<&'a UnitPaths, PathError> {
        self.program.details(unit).and_then(|d| d.paths()).ok_or(PathError::NoDetails)
    }

    fn position(&self) -> u64 {
        self.word as u64 * 64 + u64::from(self.used)
    }

    fn tell(&mut self, met: Met) {
        let position = self.position();
        (self.meet)(position, Some(met));
    }

    fn end(&self) -> Walked {
        let place = |f: &Frame| (self.program.function_id(f.unit, f.function), f.block, f.call);
        Walked { ambiguous: false, stack: self.frames.iter().map(place).collect() }
    }

    fn enter(&mut self, unit: UnitId, function: u32, foreign: bool) {
        self.frames.push(Frame { unit, function, block: 0, from: 0, call: 0, foreign, twice: vec![] });
        self.tell(Met::Enter(self.program.function_id(unit, function)));
    }

    fn leave(&mut self) {
        if let Some(frame) = self.frames.pop() {
            self.tell(Met::Leave);
            if !frame.foreign
                && let Some(caller) = self.frames.last_mut()
            {
                caller.call += 1;
            }
        }
    }

    /// Moves the topmost frame to a successor of its block; false when there is none.
    fn go(&mut self, successor: u32) -> bool {
        let Some(frame) = self.frames.last_mut() else { return false };
        let function = &self.program.unit(frame.unit).functions[frame.function as usize];
        let to = function.blocks.get(frame.block as usize).and_then(|b| b.successors.get(successor as usize));
        let Some(&to) = to else { return false };
        (frame.from, frame.block, frame.call) = (frame.block, to, 0);
        self.tell(Met::Block(to));
        true
    }

    /// The block at hand, and the paths of its unit.
    fn here(&self) -> Result<Option<(&Frame, &'a UnitPaths, &'a BlockPaths)>, PathError> {
        let Some(frame) = self.frames.last() else { return Ok(None) };
        let paths = self.paths(frame.unit)?;
        let block = paths.functions.get(frame.function as usize).and_then(|f| f.blocks.get(frame.block as usize));
        Ok(block.map(|block| (frame, paths, block)))
    }

    /// Goes on as far as the model says how.
    fn settle(&mut self) -> Result<(), PathError> {
        while self.silent < MOST_SILENT
            && let Some((frame, _, block)) = self.here()?
        {
            match block.calls.get(frame.call as usize) {
                Some(&PathCall::Inside(callee)) => {
                    let unit = frame.unit;
                    self.silent += 1;
                    self.enter(unit, callee, false);
                    continue;
                }
                Some(_) => return Ok(()),
                None => {}
            }
            let successor = match &block.end {
                BlockEnd::Return => {
                    self.silent += 1;
                    self.leave();
                    continue;
                }
                BlockEnd::Stop | BlockEnd::Decide => return Ok(()),
                BlockEnd::Fixed(successor) => *successor,
                BlockEnd::Invoke => 0,
                BlockEnd::Repeats(known) => match known.iter().find(|(from, _)| *from == frame.from) {
                    Some((_, successor)) => *successor,
                    None => return Ok(()),
                },
            };
            self.silent += 1;
            if !self.go(successor) {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Takes the bits of a decision from `word`.
    fn decide(&mut self, word: u64) -> Result<(), PathError> {
        let held = word.checked_ilog2().unwrap_or(0);
        let Some((frame, _, block)) = self.here()? else { return Err(self.unfit("bits".into())) };
        let model = &self.program.unit(frame.unit).functions[frame.function as usize].blocks[frame.block as usize];
        let unit = frame.unit;
        let needed = width(model.successors.len() as u32);
        let waits = (frame.call as usize) < block.calls.len() || block.end != BlockEnd::Decide;
        if waits || self.used + needed > held {
            return Err(self.unfit(format!("{} bits", held - self.used)));
        }
        let way = word >> (held - self.used - needed) & ((1 << needed) - 1);
        self.used += needed;
        if let Some(Some(side)) = model.sides.get(way as usize) {
            self.tell(Met::Side(self.program.side_id(unit, *side)));
        }
        if self.go(way as u32) { Ok(()) } else { Err(self.unfit(format!("way {way}"))) }
    }

    /// Uses one mark; false when it could mean two things.
    fn follow(&mut self, unit: UnitId, mark: u32) -> Result<bool, PathError> {
        let paths = self.paths(unit)?;
        let Some((kind, number)) = unmark(mark) else { return Err(self.unfit("an unknown mark".into())) };
        let n = number as usize;
        let fits = match kind {
            MarkKind::Enter => {
                let known = n < paths.functions.len() && n < self.program.unit(unit).functions.len();
                if known {
                    self.enter(unit, number, true);
                }
                Some(known)
            }
            MarkKind::After => paths.calls.get(n).map(|&place| self.came_back(unit, place)).unwrap_or(Some(false)),
            MarkKind::Again => {
                paths.calls.get(n).map(|&place| self.came_again(unit, place, number)).unwrap_or(Some(false))
            }
            MarkKind::Pad => Some(paths.pads.get(n).is_some_and(|&(function, pad)| self.catch(unit, function, pad))),
            MarkKind::Side | MarkKind::Edge => Some(false),
        };
        match fits {
            Some(true) => Ok(true),
            Some(false) => Err(self.unfit(self.describe(unit, kind, number))),
            None => Ok(false),
        }
    }

    /// Leaves everything above frame `keep`, as an exception or a `longjmp` does.
    fn unwind(&mut self, keep: usize) {
        while self.frames.len() > keep + 1
            && let Some(frame) = self.frames.pop()
        {
            self.tell(Met::Drop(frame.call));
        }
    }

    /// A call of something outside returned. Frames above it were left by something the walk did not see.
    /// Whether it fits; nothing when several activations do.
    fn came_back(&mut self, unit: UnitId, place: (u32, u32, u32)) -> Option<bool> {
        let stands = |f: &Frame| f.unit == unit && (f.function, f.block, f.call) == place;
        let Some(found) = self.frames.iter().rposition(stands) else { return Some(false) };
        if found + 1 < self.frames.len() && self.frames[..found].iter().any(stands) {
            return None;
        }
        self.unwind(found);
        self.frames[found].call += 1;
        Some(true)
    }

    /// A call that can return twice returned: for the first time, or by a `longjmp` to it.
    fn came_again(&mut self, unit: UnitId, place: (u32, u32, u32), number: u32) -> Option<bool> {
        let (function, block, call) = place;
        if let Some(top) = self.frames.last_mut()
            && top.unit == unit
            && (top.function, top.block, top.call) == place
        {
            top.call += 1;
            if !top.twice.contains(&number) {
                top.twice.push(number);
            }
            return Some(true);
        }
        let waits = |f: &Frame| f.unit == unit && f.function == function && f.twice.contains(&number);
        let Some(found) = self.frames.iter().rposition(waits) else { return Some(false) };
        if self.frames[..found].iter().any(waits) {
            return None;
        }
        self.unwind(found);
        let frame = &mut self.frames[found];
        let calls = std::mem::replace(&mut frame.call, call + 1);
        frame.block = block;
        self.tell(Met::Again { block, calls });
        Some(true)
    }

    /// An exception arrived at a landing pad: of the innermost activation that made a call which leads there.
    fn catch(&mut self, unit: UnitId, function: u32, pad: u32) -> bool {
        let model = &self.program.unit(unit).functions[function as usize];
        let invokes = |f: &Frame| {
            let ends = model.blocks.get(f.block as usize).is_some_and(|b| b.successors.get(1) == Some(&pad));
            let paths = self.program.details(unit).and_then(|d| d.paths());
            let walk = paths.and_then(|p| p.functions.get(function as usize)?.blocks.get(f.block as usize));
            ends && walk.is_some_and(|b| b.end == BlockEnd::Invoke)
        };
        let found = self.frames.iter().rposition(|f| f.unit == unit && f.function == function && invokes(f));
        let Some(found) = found else { return false };
        self.unwind(found);
        self.go(1)
    }

    fn unfit(&self, what: String) -> PathError {
        let place = match self.frames.last() {
            Some(frame) => {
                let function = &self.program.unit(frame.unit).functions[frame.function as usize];
                format!("{} block {} call {}", function.name, frame.block, frame.call)
            }
            None => "no function".into(),
        };
        PathError::Unfit { word: self.word, what, place }
    }

    fn describe(&self, unit: UnitId, kind: MarkKind, number: u32) -> String {
        let (n, model) = (number as usize, self.program.unit(unit));
        let paths = self.program.details(unit).and_then(|d| d.paths());
        let place = paths.and_then(|paths| match kind {
            MarkKind::After | MarkKind::Again => paths.calls.get(n).map(|c| (c.0, c.1)),
            MarkKind::Pad => paths.pads.get(n).copied(),
            _ => Some((number, 0)),
        });
        match place.and_then(|(f, b)| Some((model.functions.get(f as usize)?, b))) {
            Some((function, block)) => format!("{kind:?} {number} of {} block {block}", function.name),
            None => format!("{kind:?} {number}"),
        }
    }
}
