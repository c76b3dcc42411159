//! Abstract paths: what is decided about a way through the program, and what is left open.
//!
//! A path goes through blocks that every run on it enters, in order. Between two of them either there is an edge, or
//! nothing is said but that one dominates the other: the stretch is jumped over, and what it may write is unknown.
//! A call is either looked into or jumped over in the same way. So a path stands for many runs; making it more
//! precise means to say from which predecessor a block is entered, how a call goes, or who the caller is.

use crate::code::{Code, Place};
use crate::flow::Flow;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use symcrete_program::FunctionId;
use symcrete_program::code::What;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    /// The function's entry.
    Entry,
    /// By an edge from the block before.
    Edge,
    /// Somehow, from the block before, which dominates it.
    Somehow,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    pub block: u32,
    pub how: How,
}

/// The way through one activation of a function.
#[derive(Clone, Debug, PartialEq)]
pub struct Frame {
    pub function: FunctionId,
    pub steps: Vec<Step>,
    /// Calls that are looked into, by step and instruction.
    pub inside: BTreeMap<(u32, u32), Frame>,
}

/// From the outermost known activation to the target.
#[derive(Clone, Debug, PartialEq)]
pub struct Path {
    /// Each but the last ends with the call that the next is entered by.
    pub frames: Vec<Frame>,
    /// Where each frame ends, in its last block.
    pub ends: Vec<u32>,
    /// How many calls through pointers are assumed to lead where they do.
    pub complete: bool,
}

/// Where a frame is: number of the outer frame, then calls it is inside of.
pub type FrameAt = (usize, Vec<(u32, u32)>);

/// Something a path leaves open.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    pub frame: FrameAt,
    pub what: Open,
    pub place: Place,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Open {
    /// How a step's block is entered.
    Entering { step: u32, is_loop: bool },
    /// What a call does: by step and instruction.
    Call { step: u32, at: u32, callee: FunctionId },
}

/// Control-flow graphs, made when first asked for.
#[derive(Default)]
pub struct Flows(FxHashMap<FunctionId, std::rc::Rc<Flow>>);

impl Flows {
    pub fn of(&mut self, code: &Code<'_>, function: FunctionId) -> std::rc::Rc<Flow> {
        let (_, model) = code.program.function(function);
        self.0
            .entry(function)
            .or_insert_with(|| std::rc::Rc::new(Flow::new(model, |block| code.last_calls.is_in(function, block))))
            .clone()
    }
}

/// The steps from a block to one it dominates, the first left out.
pub fn steps(flow: &Flow, from: u32, to: u32) -> Option<Vec<Step>> {
    let mut before = from;
    let step = |block: u32| {
        let how = if flow.is_edge(before, block) { How::Edge } else { How::Somehow };
        before = block;
        Step { block, how }
    };
    Some(flow.way(from, to)?.into_iter().map(step).collect())
}

impl Frame {
    /// The least that is known: every run that gets from the entry to a block goes this way. Nothing when no run does.
    pub fn to(code: &Code<'_>, flows: &mut Flows, function: FunctionId, block: u32) -> Option<Frame> {
        let flow = flows.of(code, function);
        let mut all = vec![Step { block: 0, how: How::Entry }];
        all.extend(steps(&flow, 0, block)?);
        Some(Frame { function, steps: all, inside: BTreeMap::new() })
    }

    fn at_mut(&mut self, inside: &[(u32, u32)]) -> Option<&mut Frame> {
        match inside.split_first() {
            None => Some(self),
            Some((first, rest)) => self.inside.get_mut(first)?.at_mut(rest),
        }
    }
}

/// How far paths are followed.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// How often a path may enter the head of a loop.
    pub unroll: u32,
    /// How deep calls are looked into, and how many callers are gone up to.
    pub calls: usize,
}

/// The ways a point can be made precise; `cut` when some were left out because of a bound.
pub struct Refined {
    /// Each with the block that its new edge comes from, and whether that goes back in a loop.
    pub paths: Vec<(Option<u32>, bool, Path)>,
    pub cut: bool,
}

impl Path {
    /// Paths to a place of a function that say nothing yet.
    pub fn to(code: &Code<'_>, flows: &mut Flows, target: Place) -> Option<Path> {
        let frame = Frame::to(code, flows, target.function, target.block)?;
        Some(Path { frames: vec![frame], ends: vec![target.at], complete: false })
    }

    /// The path that ends with an edge of a function.
    pub fn along(code: &Code<'_>, flows: &mut Flows, function: FunctionId, from: u32, to: u32) -> Option<Path> {
        let mut frame = Frame::to(code, flows, function, from)?;
        frame.steps.push(Step { block: to, how: How::Edge });
        Some(Path { frames: vec![frame], ends: vec![0], complete: false })
    }

    fn at_mut(&mut self, at: &FrameAt) -> Option<&mut Frame> {
        self.frames.get_mut(at.0)?.at_mut(&at.1)
    }

    /// The paths that say more about a point; together they are all runs of this path.
    pub fn refine(&self, code: &Code<'_>, flows: &mut Flows, point: &Point, bounds: Bounds) -> Refined {
        match point.what {
            Open::Entering { step, .. } => self.refine_entering(code, flows, &point.frame, step, bounds),
            Open::Call { step, at, callee } => self.refine_call(code, flows, &point.frame, (step, at), callee, bounds),
        }
    }

    fn refine_entering(&self, code: &Code<'_>, flows: &mut Flows, at: &FrameAt, step: u32, bounds: Bounds) -> Refined {
        let mut refined = Refined { paths: vec![], cut: false };
        let mut probe = self.clone();
        let Some(frame) = probe.at_mut(at).cloned() else { return refined };
        let flow = flows.of(code, frame.function);
        let (s, block) = (step as usize, frame.steps[step as usize].block);
        let from = frame.steps[s - 1].block;
        for &before in &flow.predecessors[block as usize] {
            let new = if flow.dominates(block, before) {
                // Another turn of the loop: its head comes once more, however it is entered then.
                // Turns are counted from where the loop is entered; an outer loop may come back there.
                let same = frame.steps[s..].iter().take_while(|step| step.block != from);
                let turns = same.filter(|step| step.block == block).count() as u32;
                if turns > bounds.unroll {
                    refined.cut = true;
                    continue;
                }
                let mut new = vec![Step { block, how: How::Somehow }];
                new.extend(steps(&flow, block, before).unwrap_or_default());
                new
            } else if before == from {
                vec![]
            } else {
                match steps(&flow, from, before) {
                    Some(new) => new,
                    // An edge into the middle of a loop that is not its head's: ways that dominators do not order.
                    None => {
                        refined.cut = true;
                        continue;
                    }
                }
            };
            let mut path = self.clone();
            let Some(target) = path.at_mut(at) else { continue };
            let added = new.len() as u32;
            let tail = target.steps.split_off(s);
            target.steps.extend(new);
            target.steps.extend(tail);
            target.steps[s + added as usize].how = How::Edge;
            // Calls behind the new steps moved.
            target.inside = std::mem::take(&mut target.inside)
                .into_iter()
                .map(|((step, at), frame)| (if step as usize >= s { (step + added, at) } else { (step, at) }, frame))
                .collect();
            refined.paths.push((Some(before), flow.dominates(block, before), path));
        }
        refined
    }

    fn refine_call(
        &self,
        code: &Code<'_>,
        flows: &mut Flows,
        at: &FrameAt,
        call: (u32, u32),
        callee: FunctionId,
        bounds: Bounds,
    ) -> Refined {
        let mut refined = Refined { paths: vec![], cut: false };
        if at.0 + at.1.len() >= bounds.calls {
            refined.cut = true;
            return refined;
        }
        let Some(body) = code.body(callee) else { return refined };
        for (number, block) in body.function.blocks.iter().enumerate() {
            if !matches!(block.last().map(|i| &i.what), Some(What::Return(_))) {
                continue;
            }
            let Some(frame) = Frame::to(code, flows, callee, number as u32) else { continue };
            let mut path = self.clone();
            let Some(target) = path.at_mut(at) else { continue };
            target.inside.insert(call, frame);
            refined.paths.push((None, false, path));
        }
        refined
    }

    /// The path with a caller in front.
    pub fn called_from(&self, code: &Code<'_>, flows: &mut Flows, call: Place) -> Option<Path> {
        let frame = Frame::to(code, flows, call.function, call.block)?;
        let mut path = self.clone();
        path.frames.insert(0, frame);
        path.ends.insert(0, call.at);
        Some(path)
    }

    /// Where the path stands, for people: the target first, then its callers.
    pub fn outermost(&self) -> FunctionId {
        self.frames[0].function
    }
}
