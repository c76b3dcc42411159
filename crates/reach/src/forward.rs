//! Phase II: inputs that follow a path, found by running the model. Loops and calls that the path jumped over are
//! simply run; how far a run comes along the path, and how near the decision was that left it, says which inputs to
//! try next (alternating variables, steps that grow).

use crate::code::{Code, Place};
use crate::evaluate::Start;
use crate::machine::{Asked, Image, Machine, Onlooker};
use crate::path::{How, Path};
use crate::search::Candidate;
use crate::state::{Request, RequestKind};
use symcrete_program::FunctionId;
use symcrete_term::Var;

/// Instructions of one run, and of a whole attempt.
const ONE_RUN: u64 = 300_000;
const FIRST_ATTEMPT: u64 = 12_000_000;
const ATTEMPT: u64 = 3_000_000;
/// Bytes of input that are varied.
const MOST_BYTES: usize = 64;

/// How good a run is: steps of the path that it did not get to, then how far it was from the next. Less is better.
type Fitness = (usize, f64);

struct Follower<'f> {
    steps: &'f [(FunctionId, u32, How)],
    target: Place,
    matched: usize,
    nearest: f64,
    reached: bool,
}

impl Onlooker for Follower<'_> {
    fn enter(&mut self, function: FunctionId, block: u32, from: Option<u32>) -> bool {
        if let Some(&(next, wanted, how)) = self.steps.get(self.matched)
            && next == function
            && wanted == block
        {
            let by_edge = match (how, self.matched.checked_sub(1).map(|before| self.steps[before])) {
                (How::Edge, Some((_, before, _))) => from == Some(before),
                _ => true,
            };
            if by_edge {
                self.matched += 1;
                self.nearest = f64::INFINITY;
            }
        }
        let there = self.matched == self.steps.len();
        if there && self.target.at == 0 {
            self.reached = true;
        }
        !self.reached
    }

    fn leave(&mut self, function: FunctionId, block: u32, toward: &mut dyn FnMut(u32) -> f64) {
        // Where the path goes on by an edge, from the block it is in.
        if let (Some(&(next, wanted, How::Edge)), Some(&(at, before, _))) =
            (self.steps.get(self.matched), self.matched.checked_sub(1).and_then(|n| self.steps.get(n)))
            && next == function
            && at == function
            && before == block
        {
            self.nearest = self.nearest.min(toward(wanted));
        }
    }

    fn at(&mut self, place: Place) -> bool {
        if self.matched == self.steps.len() && place == self.target {
            self.reached = true;
        }
        !self.reached
    }
}

/// Variables of the input.
#[derive(Clone, Debug, PartialEq)]
struct Values {
    requests: Vec<Vec<u8>>,
    buffer: Vec<u8>,
}

pub struct Forward<'f, 'a> {
    code: &'f Code<'a>,
    image: &'f Image,
    start: &'f Start,
    steps: Vec<(FunctionId, u32, How)>,
    target: Place,
    left: u64,
    asked: Vec<Asked>,
    exact_buffer: bool,
}

impl<'f, 'a> Forward<'f, 'a> {
    pub fn new(code: &'f Code<'a>, image: &'f Image, start: &'f Start, path: &Path, first: bool) -> Forward<'f, 'a> {
        let steps = path
            .frames
            .iter()
            .flat_map(|frame| frame.steps.iter().map(|step| (frame.function, step.block, step.how)))
            .collect::<Vec<_>>();
        let last = path.frames.len() - 1;
        let block = path.frames[last].steps.last().map_or(0, |step| step.block);
        let target = Place { function: path.frames[last].function, block, at: path.ends[last] };
        let exact_buffer = start.buffer.is_some_and(|(_, exact)| exact);
        Forward {
            code,
            image,
            start,
            steps,
            target,
            left: if first { FIRST_ATTEMPT } else { ATTEMPT },
            asked: vec![],
            exact_buffer,
        }
    }

    /// An input that follows the path in the model, beginning at one that almost does.
    pub fn search(&mut self, from: &Candidate) -> Option<Candidate> {
        let mut best = self.values_of(from);
        let mut fitness = self.run(&best);
        // What the run asked for is what can be varied.
        best.requests = self.asked.iter().map(|asked| asked.bytes.clone()).collect();
        let mut kinds: Vec<(String, RequestKind)> = self.asked.iter().map(|a| (a.name.clone(), a.kind)).collect();
        while fitness != (0, 0.0) && self.left > 0 {
            let before = fitness;
            for variable in self.variables(&best, &kinds) {
                self.alternate(&mut best, &mut fitness, variable);
                if fitness == (0, 0.0) || self.left == 0 {
                    break;
                }
            }
            if fitness >= before {
                break;
            }
            let again = self.run(&best);
            fitness = fitness.min_by(again);
            best.requests = self.asked.iter().map(|asked| asked.bytes.clone()).collect();
            kinds = self.asked.iter().map(|a| (a.name.clone(), a.kind)).collect();
        }
        (fitness == (0, 0.0)).then(|| self.candidate(&best))
    }

    fn values_of(&self, candidate: &Candidate) -> Values {
        let declared = self.start.declared;
        let mut values = Values { requests: vec![], buffer: vec![] };
        for request in &candidate.requests {
            values.requests.push(vec![0; request.bytes as usize]);
        }
        if let Some((capacity, exact)) = self.start.buffer {
            let length =
                candidate.values.iter().find_map(|(var, value)| (*var == Var::Length { object: 0 }).then_some(*value));
            let length = if exact { u64::from(capacity) } else { length.unwrap_or(u64::from(capacity)) };
            values.buffer = vec![0; length.min(u64::from(capacity)) as usize];
        }
        for &(var, value) in &candidate.values {
            let Var::Byte { object, offset } = var else { continue };
            let place = match object.checked_sub(declared) {
                Some(request) => values.requests.get_mut(request as usize),
                None if object == 0 => Some(&mut values.buffer),
                None => None,
            };
            if let Some(byte) = place.and_then(|bytes| bytes.get_mut(offset as usize)) {
                *byte = value as u8;
            }
        }
        values
    }

    fn candidate(&self, values: &Values) -> Candidate {
        let declared = self.start.declared;
        let mut candidate = Candidate::default();
        let mut add = |object: u32, bytes: &[u8]| {
            for (offset, byte) in bytes.iter().enumerate() {
                candidate.values.push((Var::Byte { object, offset: offset as u32 }, u64::from(*byte)));
            }
        };
        if self.start.buffer.is_some() {
            add(0, &values.buffer);
        }
        for (number, asked) in self.asked.iter().enumerate() {
            add(declared + number as u32, &asked.bytes);
        }
        if self.start.buffer.is_some() {
            candidate.values.push((Var::Length { object: 0 }, values.buffer.len() as u64));
        }
        let request =
            |asked: &Asked| Request { name: asked.name.clone(), bytes: asked.bytes.len() as u32, kind: asked.kind };
        candidate.requests = self.asked.iter().map(request).collect();
        candidate
    }

    fn run(&mut self, values: &Values) -> Fitness {
        let mut follower =
            Follower { steps: &self.steps, target: self.target, matched: 0, nearest: f64::INFINITY, reached: false };
        let limit = ONE_RUN.min(self.left);
        let buffer = self.start.buffer.map(|_| values.buffer.as_slice());
        let mut machine = Machine::new(self.code, self.image, &values.requests, buffer, limit);
        machine.run(self.start.entry, &mut follower);
        self.left = self.left.saturating_sub(machine.spent(limit).max(100));
        self.asked = machine.asked;
        if follower.reached {
            return (0, 0.0);
        }
        let near = if follower.nearest.is_finite() { follower.nearest } else { 1e300 };
        (self.steps.len() - follower.matched + 1, near)
    }

    fn variables(&self, values: &Values, kinds: &[(String, RequestKind)]) -> Vec<Variable> {
        let mut all = vec![];
        for (number, bytes) in values.requests.iter().enumerate() {
            match kinds.get(number).map(|(_, kind)| *kind) {
                Some(RequestKind::Bytes) | None => {
                    all.extend((0..bytes.len().min(MOST_BYTES)).map(|at| Variable::Byte { request: Some(number), at }));
                }
                Some(RequestKind::Float) => all.push(Variable::Float { request: number }),
                Some(_) => all.push(Variable::Integer { request: number }),
            }
        }
        all.extend((0..values.buffer.len().min(MOST_BYTES)).map(|at| Variable::Byte { request: None, at }));
        if self.start.buffer.is_some() && !self.exact_buffer {
            all.push(Variable::Length);
        }
        all
    }

    /// Moves one variable for as long as that helps, in steps that double.
    fn alternate(&mut self, best: &mut Values, fitness: &mut Fitness, variable: Variable) {
        loop {
            let mut moved = false;
            for direction in [1i64, -1] {
                for &scale in variable.scales() {
                    let mut step = direction.wrapping_mul(1 << scale.min(62));
                    while let Some(next) = variable.moved(best, step, self.start) {
                        let new = self.run(&next);
                        if new >= *fitness {
                            break;
                        }
                        (*best, *fitness) = (next, new);
                        moved = true;
                        step = step.saturating_mul(2);
                        if *fitness == (0, 0.0) || self.left == 0 {
                            return;
                        }
                    }
                    if self.left == 0 {
                        return;
                    }
                }
            }
            if !moved {
                return;
            }
        }
    }
}

trait MinBy {
    fn min_by(self, other: Self) -> Self;
}

impl MinBy for Fitness {
    fn min_by(self, other: Self) -> Self {
        if other < self { other } else { self }
    }
}

#[derive(Clone, Copy, Debug)]
enum Variable {
    Integer { request: usize },
    Float { request: usize },
    Byte { request: Option<usize>, at: usize },
    Length,
}

impl Variable {
    /// Logarithms of the first steps that are tried.
    fn scales(self) -> &'static [u32] {
        match self {
            Variable::Float { .. } => &[0, 10, 20, 30, 40, 50, 52, 54, 58, 62],
            Variable::Integer { .. } => &[0, 1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 28, 30],
            Variable::Byte { .. } => &[0, 1, 2, 4, 6],
            Variable::Length => &[0, 3],
        }
    }

    fn moved(self, from: &Values, step: i64, start: &Start) -> Option<Values> {
        let mut new = from.clone();
        match self {
            Variable::Integer { request } | Variable::Float { request } => {
                let bytes = new.requests.get_mut(request)?;
                let mut raw = [0; 8];
                let size = bytes.len().min(8);
                raw[..size].copy_from_slice(&bytes[..size]);
                let value = i64::from_le_bytes(raw);
                // Floats move by steps of their representation, in the order of their values.
                let next = match self {
                    Variable::Float { .. } => move_float(value, step, size),
                    _ => value.wrapping_add(step),
                };
                bytes[..size].copy_from_slice(&next.to_le_bytes()[..size]);
            }
            Variable::Byte { request, at } => {
                let bytes = match request {
                    Some(request) => new.requests.get_mut(request)?,
                    None => &mut new.buffer,
                };
                let byte = bytes.get_mut(at)?;
                *byte = byte.wrapping_add(step as u8);
            }
            Variable::Length => {
                let (capacity, _) = start.buffer?;
                let length = (new.buffer.len() as i64).checked_add(step)?;
                if !(0..=i64::from(capacity)).contains(&length) {
                    return None;
                }
                new.buffer.resize(length as usize, 0);
            }
        }
        (new != *from).then_some(new)
    }
}

/// So many representable values up or down.
fn move_float(value: i64, step: i64, size: usize) -> i64 {
    if size == 4 {
        let bits = value as i32;
        let ordered = if bits < 0 { i32::MIN.wrapping_sub(bits) } else { bits };
        let moved = ordered.wrapping_add((step >> 29) as i32 | step.signum() as i32);
        return i64::from(if moved < 0 { i32::MIN.wrapping_sub(moved) } else { moved });
    }
    let ordered = if value < 0 { i64::MIN.wrapping_sub(value) } else { value };
    let moved = ordered.wrapping_add(step);
    if moved < 0 { i64::MIN.wrapping_sub(moved) } else { moved }
}
