//! What runs show about targets: which blocks they were in, and how far they got in the last ones.
//!
//! A claim that a target was reached is made of what a run recorded, and of what follows from it without doubt. What a
//! run may have done unseen before it died is kept apart: it is no proof of anything, and stands against one.

use rustc_hash::FxHashSet;
use symcrete_exec::{End, Met, Trace, Units, walk};
use symcrete_program::code::{Binary, Callee, Instruction, UnitCode, What};
use symcrete_program::{FunctionId, Program, SideId};
use symcrete_reach::{Named, Place, Reach, is_same_file};
use symcrete_toolchain::symbols::SourcePlace;

type BlockAt = (FunctionId, u32);

/// The targets that runs are looked at for.
pub struct Watch {
    pub(crate) targets: Vec<Watched>,
    /// What the last run entered.
    pub(crate) entered: FxHashSet<BlockAt>,
    /// Blocks in which some run may have got further than was seen.
    perhaps: FxHashSet<BlockAt>,
    /// Blocks that were left before any run began.
    always_left: Vec<BlockAt>,
    /// Blocks that no run should enter, and one that a run did enter.
    impossible: FxHashSet<BlockAt>,
    pub(crate) refuted: Option<BlockAt>,
    /// Some run was not seen to its end: it may have been anywhere.
    blind: bool,
}

pub(crate) struct Watched {
    places: Vec<Place>,
    /// The same as a crash names them, of whole lines. A function's beginning was reached wherever in it the run stood.
    lines: Vec<SourcePlace>,
    marker: Option<u32>,
    /// The test that was there.
    pub test: Option<u32>,
    /// Nothing more is to be found out about it.
    pub settled: bool,
}

/// How a run ended, as far as the place of its death goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Death {
    /// In a call of something outside, which did not come back.
    InCall,
    /// At any instruction that can fail.
    Anywhere,
    /// Wherever it was: it was ended from outside.
    Unknown,
}

impl Watch {
    pub fn new(reach: &Reach<'_>, targets: &[Named]) -> Watch {
        let line_of = |&place: &Place| {
            let (file, line) = reach.code.location(place);
            let begins = (place.block, place.at) == (0, 0);
            let function = reach.code.body(place.function).filter(|_| begins);
            SourcePlace { function: function.map_or(String::new(), |body| body.model.source_name.clone()), file, line }
        };
        let watched = |named: &Named| Watched {
            places: named.places.clone(),
            lines: named.places.iter().filter(|_| named.whole).map(line_of).collect(),
            marker: named.marker,
            test: None,
            settled: false,
        };
        Watch {
            targets: targets.iter().map(watched).collect(),
            entered: FxHashSet::default(),
            perhaps: FxHashSet::default(),
            always_left: reach.always_left(),
            impossible: reach.never_entered(),
            refuted: None,
            blind: false,
        }
    }

    /// Whether a run that took some sides was somewhere that no earlier one was; they are credited to `test`.
    pub fn look(
        &mut self,
        (trace, end): (&Trace<'_>, End),
        taken: &[SideId],
        units: &Units,
        program: &Program,
        test: u32,
    ) -> bool {
        let mut seen = self.follow(trace, units, program, end);
        seen.left.extend(&self.always_left);
        // Sides are marked one by one, and so are known also where the end of the path was lost.
        let behind = |&side: &SideId| Some((program.function_of(side), program.successor(side)?));
        self.entered.extend(taken.iter().filter_map(behind));
        self.refuted = self.refuted.or(self.entered.iter().find(|block| self.impossible.contains(block)).copied());
        let markers = trace.targets();
        let mut new = false;
        for target in self.targets.iter_mut().filter(|target| target.test.is_none()) {
            let there = |place: &Place| {
                let block = (place.function, place.block);
                let stood = |&(at, upto): &(BlockAt, u32)| at == block && upto >= place.at;
                seen.left.contains(&block)
                    || seen.stood.iter().any(stood)
                    || self.entered.contains(&block) && place.at as usize <= first_to_fail(program, block, 0)
            };
            let reached = match target.marker {
                Some(number) => markers.contains(&number),
                None => target.places.iter().any(there),
            };
            if reached {
                (target.test, target.settled) = (Some(test), true);
                new = true;
            }
        }
        new
    }

    /// The same for the places where a replay crashed: what a run records may end before its last decisions.
    pub fn look_at_crash(&mut self, stack: &[SourcePlace], test: u32) -> bool {
        let mut new = false;
        for target in self.targets.iter_mut().filter(|t| t.test.is_none()) {
            let same = |frame: &SourcePlace| {
                target.lines.iter().any(|line| {
                    (frame.line == line.line || !line.function.is_empty() && frame.function == line.function)
                        && is_same_file(&frame.file, &line.file)
                })
            };
            if stack.iter().any(same) {
                (target.test, target.settled) = (Some(test), true);
                new = true;
            }
        }
        new
    }

    fn follow(&mut self, trace: &Trace<'_>, units: &Units, program: &Program, end: End) -> Seen {
        self.entered.clear();
        let mut seen = Seen::default();
        let Some((words, cut)) = trace.path_words() else {
            self.blind = true;
            return seen;
        };
        let death = match end {
            _ if cut || end.is_cut() => Death::Unknown,
            End::Exit(_) | End::Stopped(_) => Death::InCall,
            End::Signal(crash) if crash.signal == libc::SIGABRT => Death::InCall,
            _ => Death::Anywhere,
        };
        let Watch { entered, perhaps, .. } = &mut *self;
        let mut frames: Vec<BlockAt> = vec![];
        // Whether what is met was recorded or follows from that.
        let (mut rest, mut certain) = (false, true);
        let walked = walk(&words, units, program, death == Death::InCall, &mut |_, met| {
            let Some(met) = met else { return };
            if rest {
                certain &= death != Death::Unknown && frames.last().is_none_or(|&top| is_harmless(program, top));
            }
            match met {
                _ if !certain => {}
                Met::Enter(function) => {
                    frames.push((function, 0));
                    entered.insert((function, 0));
                }
                Met::Block(block) => {
                    if let Some(top) = frames.last_mut() {
                        seen.left.insert(*top);
                        top.1 = block;
                        entered.insert(*top);
                    }
                }
                Met::Leave => seen.left.extend(frames.pop().filter(|top| returns(program, *top))),
                Met::Drop(calls) => {
                    seen.stood.extend(frames.pop().and_then(|top| in_call(program, top, calls, perhaps)))
                }
                Met::Again { block, calls } => {
                    if let Some(top) = frames.last_mut() {
                        seen.stood.extend(in_call(program, *top, calls, perhaps));
                        top.1 = block;
                        entered.insert(*top);
                    }
                }
                Met::Rest => rest = true,
                Met::Side(_) => {}
            }
        });
        // A path that cannot be followed to its end shows what it showed until then.
        let Ok(walked) = walked else {
            self.blind = true;
            return seen;
        };
        // Bits of the last decisions may have been in a register.
        self.blind |= walked.ambiguous || death != Death::InCall;
        if certain && !walked.ambiguous {
            self.stand(program, &walked.stack, death, &mut seen);
        }
        seen
    }

    /// How far a run got, at least, in the blocks that it was in when it ended.
    fn stand(&mut self, program: &Program, stack: &[(FunctionId, u32, u32)], death: Death, seen: &mut Seen) {
        for (depth, &(function, block, calls)) in stack.iter().enumerate() {
            let block = (function, block);
            if depth + 1 < stack.len() || death == Death::InCall {
                seen.stood.extend(in_call(program, block, calls, &mut self.perhaps));
                continue;
            }
            let Some(told) = told(program, block) else { continue };
            let back = (calls as usize).checked_sub(1).and_then(|last| told.get(last));
            let upto = first_to_fail(program, block, back.map_or(0, |at| at + 1));
            seen.stood.push((block, upto as u32));
        }
    }

    pub fn all_settled(&self) -> bool {
        self.targets.iter().all(|target| target.settled)
    }

    /// Whether some run may have been at a target without being seen there.
    pub fn may_have_missed(&self, target: usize) -> bool {
        let Watched { places, marker, .. } = &self.targets[target];
        self.blind || marker.is_none() && places.iter().any(|p| self.perhaps.contains(&(p.function, p.block)))
    }
}

/// What a run showed besides the blocks it entered.
#[derive(Default)]
struct Seen {
    left: FxHashSet<BlockAt>,
    /// Blocks it was in when it ended, and an instruction that it got to there.
    stood: Vec<(BlockAt, u32)>,
}

fn code_of(program: &Program, (function, block): BlockAt) -> Option<(&UnitCode, &[Instruction])> {
    let (unit, _) = program.function(function);
    let local = function.0 - program.function_id(unit, 0).0;
    let code = program.details(unit).and_then(|details| details.code())?;
    Some((code, code.functions.get(local as usize)?.blocks.get(block as usize)?))
}

/// Where the calls of a block stand that paths may tell about.
fn told(program: &Program, block: BlockAt) -> Option<Vec<usize>> {
    let (code, list) = code_of(program, block)?;
    Some((0..list.len()).filter(|&at| is_told(code, &list[at])).collect())
}

/// How far a run got, at least, in a block that it ended or left in a call, when so many of the calls had come back.
fn in_call(program: &Program, block: BlockAt, calls: u32, perhaps: &mut FxHashSet<BlockAt>) -> Option<(BlockAt, u32)> {
    let told = told(program, block)?;
    // Paths leave out calls that only read: then it stands in this call or in a later one.
    if path_calls(program, block) != Some(told.len()) {
        perhaps.insert(block);
    }
    Some((block, told.get(calls as usize).copied().unwrap_or(0) as u32))
}

/// Whether a block ends with a return.
fn returns(program: &Program, block: BlockAt) -> bool {
    let last = code_of(program, block).and_then(|(_, list)| list.last());
    last.is_some_and(|last| matches!(last.what, What::Return(_)))
}

/// Whether nothing in a block can fail but the calls that paths tell about.
fn is_harmless(program: &Program, block: BlockAt) -> bool {
    code_of(program, block)
        .is_some_and(|(code, list)| list.iter().all(|i| cannot_fail(code, &i.what) || is_told(code, i)))
}

fn cannot_fail(code: &UnitCode, what: &What) -> bool {
    const QUIET: [&str; 5] = ["llvm.dbg.", "llvm.lifetime.", "llvm.assume", "llvm.expect", "llvm.experimental.noalias"];
    match what {
        What::Binary(how, ..) => !matches!(how, Binary::UDiv | Binary::SDiv | Binary::URem | Binary::SRem),
        What::Negate(_) | What::Compare(..) | What::FloatCompare(..) | What::Cast(..) | What::Select(..) => true,
        What::Phi(_) | What::Address { .. } | What::Freeze(_) | What::Extract(..) | What::Insert(..) => true,
        What::Return(_) | What::Jump | What::Branch(_) | What::Switch(..) => true,
        What::Call(call) => match call.callee {
            Callee::Direct(symbol) => {
                let name = &code.symbols[symbol as usize];
                name == "symcrete_target" || QUIET.iter().any(|quiet| name.starts_with(quiet))
            }
            _ => false,
        },
        _ => false,
    }
}

/// Whether an instruction is a call that paths may tell about: not of an intrinsic.
fn is_told(code: &UnitCode, instruction: &Instruction) -> bool {
    match &instruction.what {
        What::Call(call) | What::Invoke(call) => match call.callee {
            Callee::Direct(symbol) => !code.symbols[symbol as usize].starts_with("llvm."),
            Callee::Indirect(_) => true,
            Callee::Assembly => false,
        },
        _ => false,
    }
}

/// The first instruction of a block, from `at` on, at which a run may end.
fn first_to_fail(program: &Program, block: BlockAt, at: usize) -> usize {
    let Some((code, list)) = code_of(program, block) else { return 0 };
    (at..list.len()).find(|&at| !cannot_fail(code, &list[at].what)).unwrap_or(list.len())
}

/// How many calls of a block paths tell about.
fn path_calls(program: &Program, (function, block): BlockAt) -> Option<usize> {
    let (unit, _) = program.function(function);
    let local = function.0 - program.function_id(unit, 0).0;
    let paths = program.details(unit).and_then(|details| details.paths())?;
    Some(paths.functions.get(local as usize)?.blocks.get(block as usize)?.calls.len())
}
