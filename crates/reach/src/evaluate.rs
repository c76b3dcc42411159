//! A path, evaluated forwards: what must hold for a run to go that way, over inputs and unknowns.
//!
//! Everything that is not looked at is an unknown that remembers why it is one. So the conditions hold for every run
//! on the path, with some values of the unknowns: without a solution there is no such run.

use crate::code::{Body, Called, Code, GlobalId, Place};
use crate::effects::{self, Effects, Root, Summaries};
use crate::flow::Flow;
use crate::invariant::{self, Loops, Moved};
use crate::library;
use crate::memory::{Initial, Memory};
use crate::path::{Flows, Frame, FrameAt, How, Open, Path, Point};
use crate::possible::{Only, Possible};
use crate::state::{Condition, Request, Source, State};
use crate::value::Value;
use symcrete_program::FunctionId;
use symcrete_program::code::{Call, Callee, Operand, What};
use symcrete_term::{TermId, Terms, Var};

/// Where runs begin and what they are given.
#[derive(Clone, Debug)]
pub struct Start {
    pub entry: FunctionId,
    /// The entry is `LLVMFuzzerTestOneInput`: the first object of the input, of so many bytes at most, and whether
    /// always so many.
    pub buffer: Option<(u32, bool)>,
    /// The entry is `main`: how many arguments it is given, the program's name among them.
    pub arguments: Option<u32>,
    /// Objects of the input before those that the program asks for.
    pub declared: u32,
}

/// What must hold on a path.
pub struct Evaluated {
    pub conditions: Vec<Condition>,
    /// What is left open, in the order of a run.
    pub points: Vec<Point>,
    pub sources: Vec<Source>,
    pub requests: Vec<Request>,
    /// Heads of loops that were jumped over and about which nothing was found out yet.
    pub unlearnt: Vec<(FunctionId, u32)>,
}

/// What stays the same over all paths of a program.
pub struct Context<'c, 'a> {
    pub code: &'c Code<'a>,
    pub summaries: &'c Summaries,
    pub start: &'c Start,
    pub before_entry: &'c Effects,
    /// Whether stretches are looked at for what they do not change.
    pub slice: bool,
    pub loops: &'c Loops,
    pub possible: Option<&'c Possible>,
    /// Globals that nobody writes to.
    pub unchanged: std::rc::Rc<rustc_hash::FxHashSet<GlobalId>>,
}

/// One activation.
pub struct Activation {
    pub function: FunctionId,
    pub values: Vec<Option<Value>>,
    pub at: FrameAt,
}

pub struct Evaluator<'e, 'c, 'a> {
    pub cx: &'e Context<'c, 'a>,
    pub state: State<'e>,
    pub flows: &'e mut Flows,
    pub points: Vec<Point>,
    pub unlearnt: Vec<(FunctionId, u32)>,
}

/// Evaluates a path.
pub fn evaluate(cx: &Context<'_, '_>, terms: &mut Terms, flows: &mut Flows, path: &Path) -> Evaluated {
    let outermost = path.outermost();
    let mut memory = Memory::default();
    memory.from_start = path.complete;
    memory.written_before = cx.before_entry.globals.clone();
    memory.unchanged = cx.unchanged.clone();
    memory.written_before_all = cx.before_entry.everything || cx.before_entry.pointers;
    let here = Place { function: outermost, block: 0, at: 0 };
    let state = State::new(terms, memory, cx.start.declared, here);
    let mut evaluator = Evaluator { cx, state, flows, points: vec![], unlearnt: vec![] };
    let mut parameters = evaluator.first_parameters(path);
    for (number, frame) in path.frames.iter().enumerate() {
        let end = Some(path.ends[number]);
        let mut activation = evaluator.activate(frame.function, parameters, (number, vec![]));
        evaluator.run(frame, &mut activation, end);
        parameters = match path.frames.get(number + 1) {
            Some(next) => evaluator.hand_over(&activation, frame, path.ends[number], next.function),
            None => vec![],
        };
    }
    let State { conditions, sources, requests, .. } = evaluator.state;
    Evaluated { conditions, points: evaluator.points, sources, requests, unlearnt: evaluator.unlearnt }
}

impl<'a> Evaluator<'_, '_, 'a> {
    /// What the outermost activation is given.
    fn first_parameters(&mut self, path: &Path) -> Vec<Value> {
        let code = self.cx.code;
        let Some(body) = code.body(path.outermost()) else { return vec![] };
        let types = crate::code::parameters(body.code, body.function).to_vec();
        if let (true, Some((capacity, exact)), 2) = (path.complete, self.cx.start.buffer, types.len()) {
            let object = self.state.memory.new_object(Some(u64::from(capacity)), 16, Initial::Input(0));
            if self.cx.possible.is_some_and(Possible::is_input_unchanged) {
                self.state.memory.keep(object);
            }
            let length = self.state.terms.var(Var::Length { object: 0 });
            let most = self.state.constant(64, u128::from(capacity));
            let fits = if exact { self.state.terms.eq(length, most) } else { self.state.terms.ule(length, most) };
            self.state.require(fits);
            let zero = self.state.constant(64, 0);
            return vec![Value::Address(object, zero), Value::Bits(length)];
        }
        let mut given = vec![];
        for (number, ty) in types.iter().enumerate() {
            if let (true, Some(count), 0) = (path.complete, self.cx.start.arguments, number)
                && let Some(width) = crate::code::width(body.code, *ty)
            {
                given.push(Value::Bits(self.state.constant(width, u128::from(count))));
                continue;
            }
            let value = self.state.unknown_of(body.code, *ty, &Source::Before);
            given.push(self.confined(path.outermost(), number as u32, value));
        }
        given
    }

    pub fn activate(&mut self, function: FunctionId, parameters: Vec<Value>, at: FrameAt) -> Activation {
        let count = self.cx.code.body(function).map_or(0, |body| {
            crate::code::parameters(body.code, body.function).len()
                + body.function.blocks.iter().map(Vec::len).sum::<usize>()
        });
        let mut values: Vec<Option<Value>> = parameters.into_iter().map(Some).collect();
        values.resize(count, None);
        Activation { function, values, at }
    }

    /// Follows the steps of a frame; up to instruction `end` of the last block, or through it.
    pub fn run(&mut self, frame: &Frame, activation: &mut Activation, end: Option<u32>) -> Option<Value> {
        let body = self.cx.code.body(frame.function)?;
        let mut before = 0;
        for (number, step) in frame.steps.iter().enumerate() {
            self.state.here = Place { function: frame.function, block: step.block, at: 0 };
            match step.how {
                How::Entry => {}
                How::Edge => {
                    let ended = &body.function.blocks[before as usize];
                    self.state.here = Place { function: frame.function, block: before, at: ended.len() as u32 - 1 };
                    let condition = self.edge(activation, body, before, step.block);
                    self.state.require(condition);
                    self.enter_by_edge(activation, body, before, step.block);
                }
                How::Somehow => self.enter_somehow(activation, body, before, *step, number as u32),
            }
            let last = number + 1 == frame.steps.len();
            let instructions = &body.function.blocks[step.block as usize];
            for (at, instruction) in instructions.iter().enumerate() {
                if last && end.is_some_and(|end| at as u32 >= end) {
                    return None;
                }
                if matches!(instruction.what, What::Phi(_)) {
                    continue;
                }
                let place = Place { function: frame.function, block: step.block, at: at as u32 };
                self.state.here = place;
                if let What::Return(value) = &instruction.what {
                    return value.map(|value| self.operand(activation, body, value));
                }
                let value = match &instruction.what {
                    What::Call(call) => {
                        self.call(frame, activation, body, call, (number as u32, at as u32), instruction.ty)
                    }
                    what => self.operation(activation, body, what, instruction.ty),
                };
                let number = self.cx.code.value(place);
                let value = match instruction.what {
                    What::Load { volatile: false, .. } | What::Call(_) => self.confined(frame.function, number, value),
                    _ => value,
                };
                activation.values[number as usize] = Some(value);
            }
            before = step.block;
        }
        None
    }

    pub fn operand(&mut self, activation: &Activation, body: Body<'a>, operand: Operand) -> Value {
        match operand {
            Operand::Value(number) => match &activation.values[number as usize] {
                Some(value) => value.clone(),
                // Defined on a stretch that was jumped over.
                None => self.unknown_operand(activation, body, operand),
            },
            Operand::Constant(id) => self.state.constant_value(self.cx.code, body.unit, body.code, id),
        }
    }

    fn unknown_operand(&mut self, activation: &Activation, body: Body<'a>, operand: Operand) -> Value {
        let source = Source::Undefined;
        self.let_go_roots(activation, operand);
        match self.cx.code.type_of(activation.function, operand) {
            Some(ty) => self.state.unknown_of(body.code, ty, &source),
            None => Value::Opaque,
        }
    }

    pub fn bits(&mut self, activation: &Activation, body: Body<'a>, operand: Operand) -> Option<TermId> {
        let ty = match self.cx.code.type_of(activation.function, operand) {
            Some(ty) => crate::code::width(body.code, ty)?,
            None => 64,
        };
        let value = self.operand(activation, body, operand);
        Some(self.state.bits(self.cx.code, &value, ty))
    }

    /// What holds when a block is left for another.
    pub fn edge(&mut self, activation: &Activation, body: Body<'a>, from: u32, to: u32) -> TermId {
        let successors = &body.model.blocks[from as usize].successors;
        let Some(last) = body.function.blocks[from as usize].last() else { return TermId::TRUE };
        match &last.what {
            What::Branch(condition) => {
                let Some(condition) = self.bits(activation, body, *condition) else { return TermId::TRUE };
                match successors[..] {
                    [a, b] if a == to && b == to => TermId::TRUE,
                    [a, _] if a == to => condition,
                    _ => self.state.terms.not(condition),
                }
            }
            What::Switch(on, cases) => {
                let Some(on) = self.bits(activation, body, *on) else { return TermId::TRUE };
                let width = self.state.terms.width(on);
                let mut any = TermId::FALSE;
                let mut none = TermId::TRUE;
                for (case, &successor) in cases.iter().zip(&successors[1..]) {
                    let value = self.state.constant(width, *case);
                    let hit = self.state.terms.eq(on, value);
                    if successor == to {
                        any = self.state.terms.or(any, hit);
                    } else {
                        let miss = self.state.terms.not(hit);
                        none = self.state.terms.and(none, miss);
                    }
                }
                if successors.first() == Some(&to) { none } else { any }
            }
            _ => TermId::TRUE,
        }
    }

    fn enter_by_edge(&mut self, activation: &mut Activation, body: Body<'a>, from: u32, to: u32) {
        let mut values = vec![];
        for instruction in &body.function.blocks[to as usize] {
            let What::Phi(incoming) = &instruction.what else { break };
            let value = match incoming.iter().find(|(before, _)| *before == from) {
                Some((_, value)) => self.operand(activation, body, *value),
                None => Value::Opaque,
            };
            values.push(value);
        }
        self.set_phis(activation, to, values);
    }

    pub fn set_phis(&mut self, activation: &mut Activation, block: u32, values: Vec<Value>) {
        let first = self.cx.code.value(Place { function: activation.function, block, at: 0 }) as usize;
        for (number, value) in values.into_iter().enumerate() {
            activation.values[first + number] = Some(value);
        }
    }

    /// What a stretch may have written is unknown, and so is what depends on the way taken.
    fn enter_somehow(
        &mut self,
        activation: &mut Activation,
        body: Body<'a>,
        from: u32,
        step: crate::path::Step,
        number: u32,
    ) {
        let cx = self.cx;
        let flow = self.flows.of(cx.code, activation.function);
        if self.cx.slice && self.merge(activation, body, &flow, from, step.block) {
            return;
        }
        let is_loop = flow.is_loop(step.block);
        let place = Place { function: activation.function, block: step.block, at: 0 };
        let what = Open::Entering { step: number, is_loop };
        let source = Source::Point(self.points.len());
        self.points.push(Point { frame: activation.at.clone(), what, place });
        let between = flow.between(from, step.block);
        let effects = match cx.slice {
            true => cx.summaries.of_blocks(cx.code, activation.function, &between),
            // Whatever it is, it may have done everything.
            false => Effects { everything: true, ..Effects::default() },
        };
        self.suffer(activation, &effects, &source);
        let twice: Vec<u32> =
            cx.code.twice(activation.function).iter().copied().filter(|block| between.contains(block)).collect();
        if !twice.is_empty() {
            self.come_back(activation, &flow, &twice, &source);
        }
        let mut values = vec![];
        for instruction in &body.function.blocks[step.block as usize] {
            let What::Phi(incoming) = &instruction.what else { break };
            let number = cx.code.value(place) + values.len() as u32;
            let known = |operand: &Operand| match operand {
                Operand::Constant(_) => true,
                Operand::Value(value) => match cx.code.definition(activation.function, *value) {
                    None => true,
                    Some(place) => flow.dominates(place.block, from),
                },
            };
            let mut choices: Vec<Operand> = incoming
                .iter()
                .filter(|(before, _)| flow.is_reachable(*before))
                .map(|(_, value)| *value)
                // A turn of a loop that leaves the value alone.
                .filter(|value| !matches!(value, Operand::Value(v) if *v == number))
                .collect();
            choices.dedup();
            let value = if cx.slice && choices.len() <= 8 && choices.iter().all(known) {
                let mut value = None;
                for choice in choices {
                    let this = self.operand(activation, body, choice);
                    value = Some(match value {
                        None => this,
                        Some(_) if value.as_ref() == Some(&this) => this,
                        Some(other) => {
                            let this_one = self.state.unknown(1, source.clone());
                            self.state.select(this_one, this, other)
                        }
                    });
                }
                value.unwrap_or(Value::Opaque)
            } else {
                let value = self.state.unknown_of(body.code, instruction.ty, &source);
                incoming.iter().for_each(|(_, incoming)| self.let_go_roots(activation, *incoming));
                self.confined(activation.function, number, value)
            };
            values.push(value);
        }
        self.set_phis(activation, step.block, values);
        if is_loop && cx.slice {
            self.require_invariants(activation, body, &flow, from, step.block);
        }
    }

    /// Some call in these blocks returned, perhaps not for the first time: whatever can come behind them may have run
    /// before, any number of times and each time up to anywhere.
    fn come_back(&mut self, activation: &mut Activation, flow: &Flow, blocks: &[u32], source: &Source) {
        let code = self.cx.code;
        let Some(body) = code.body(activation.function) else { return };
        self.state.memory.overwrite_everything(code, source);
        for behind in blocks.iter().flat_map(|&block| flow.behind(block)) {
            for at in 0..body.function.blocks[behind as usize].len() as u32 {
                let number = code.value(Place { function: activation.function, block: behind, at });
                activation.values[number as usize] = None;
            }
        }
    }

    /// A value that is not followed any more may be an address: of what, says the code.
    fn let_go_roots(&mut self, activation: &Activation, operand: Operand) {
        let code = self.cx.code;
        let mut found = vec![];
        effects::roots(code, activation.function, operand, &mut |root| found.push(root));
        for root in found {
            match root {
                Root::Global(id) => self.state.memory.let_go_global(code, id),
                Root::Value(number) => {
                    if let Some(value) = activation.values[number as usize].clone() {
                        self.state.memory.let_go(&value);
                    }
                }
                Root::Elsewhere => {}
            }
        }
    }

    /// What holds at the head of a loop in every turn, as far as the loop was entered with something that is known.
    fn require_invariants(&mut self, activation: &Activation, body: Body<'a>, flow: &Flow, from: u32, head: u32) {
        let function = activation.function;
        let Some(invariants) = self.cx.loops.get(&(function, head)) else {
            self.unlearnt.push((function, head));
            return;
        };
        let known = |evaluator: &mut Self, operand: Operand| {
            let before = match operand {
                Operand::Constant(_) => true,
                Operand::Value(value) => {
                    let defined = evaluator.cx.code.definition(function, value);
                    defined.is_none_or(|place| flow.dominates(place.block, from))
                }
            };
            if before { evaluator.bits(activation, body, operand) } else { None }
        };
        let mut moved: Vec<Moved> = vec![];
        for (at, instruction) in body.function.blocks[head as usize].iter().enumerate() {
            let What::Phi(incoming) = &instruction.what else { break };
            let first = invariant::at_first(flow, incoming, head).and_then(|first| known(self, first));
            let own = Operand::Value(self.cx.code.value(Place { function, block: head, at: at as u32 }));
            moved.push(first.and_then(|first| Some((self.bits(activation, body, own)?, first))));
        }
        for invariant in invariants {
            let bound = invariant.relation.bound().and_then(|bound| known(self, bound));
            if let Some(term) = invariant.holds(self.state.terms, &moved, &mut |_| bound) {
                self.state.require(term);
            }
        }
    }

    /// A value that is not known is at least one that it can be: one of a few numbers, the address of one thing, not
    /// the address of nothing.
    fn confined(&mut self, function: FunctionId, number: u32, value: Value) -> Value {
        let (Some(possible), Value::Bits(term)) = (self.cx.possible, &value) else { return value };
        let term = *term;
        let is_unknown = |var| {
            let (Var::Byte { object, .. } | Var::Length { object }) = self.state.terms.variable(var);
            object >= crate::state::UNKNOWN
        };
        if !self.state.terms.vars_of(term).any(is_unknown) {
            return value;
        }
        let set = possible.value(function, number);
        match set.as_few() {
            Some([]) => {}
            Some(few) => self.require_one_of(term, few),
            None if self.state.terms.width(term) == 64 => {
                let zero = self.state.constant(64, 0);
                match possible.only(function, number) {
                    Some(Only::Global(id, at)) => {
                        let object = self.state.memory.global(self.cx.code, id);
                        return Value::Address(object, self.state.constant(64, at as u64 as u128));
                    }
                    Some(Only::Function(id)) => return Value::Address(self.state.memory.function(id), zero),
                    None if !set.may_be(0) => {
                        let some = self.state.terms.ne(term, zero);
                        self.state.require(some);
                    }
                    None => {}
                }
            }
            None => {}
        }
        value
    }

    fn require_one_of(&mut self, value: TermId, states: &[u128]) {
        let width = self.state.terms.width(value);
        let mut any = TermId::FALSE;
        for &one in states {
            let one = self.state.constant(width, one);
            let same = self.state.terms.eq(value, one);
            any = self.state.terms.or(any, same);
        }
        self.state.require(any);
    }

    /// Memory after code that was not looked at.
    pub fn suffer(&mut self, activation: &Activation, effects: &Effects, source: &Source) {
        let code = self.cx.code;
        for value in &effects.let_go {
            if let Some(value) = activation.values[*value as usize].clone() {
                self.state.memory.let_go(&value);
            }
        }
        for value in &effects.values {
            // Room on the stack that did not exist yet when the stretch began is not there.
            if let Some(value) = activation.values[*value as usize].clone() {
                self.state.overwrite_at(code, &value, source);
            }
        }
        for global in &effects.globals {
            self.state.memory.overwrite_global(code, *global, source);
        }
        if effects.everything {
            self.state.memory.overwrite_all(code, source);
        } else if effects.pointers {
            self.state.memory.overwrite_known(code, source);
        }
    }

    /// The parameters of the function that a call enters.
    fn hand_over(&mut self, activation: &Activation, frame: &Frame, at: u32, callee: FunctionId) -> Vec<Value> {
        let code = self.cx.code;
        let Some(body) = code.body(frame.function) else { return vec![] };
        let Some(block) = frame.steps.last().map(|step| step.block) else { return vec![] };
        let instruction = &body.function.blocks[block as usize][at as usize];
        self.state.here = Place { function: frame.function, block, at };
        let (What::Call(call) | What::Invoke(call)) = &instruction.what else { return vec![] };
        if let Callee::Indirect(pointer) = call.callee {
            let pointer = self.operand(activation, body, pointer);
            let object = self.state.memory.function(callee);
            let zero = self.state.constant(64, 0);
            let same = self.state.equal(code, &pointer, &Value::Address(object, zero), 64);
            self.state.require(same);
        }
        self.arguments(activation, body, call, callee)
    }

    /// Arguments as the callee sees them.
    pub fn arguments(
        &mut self,
        activation: &Activation,
        body: Body<'a>,
        call: &Call,
        callee: FunctionId,
    ) -> Vec<Value> {
        let code = self.cx.code;
        let mut values: Vec<Value> = call.arguments.iter().map(|a| self.operand(activation, body, *a)).collect();
        for (number, ty) in &call.copies {
            let from = values[*number as usize].clone();
            let whole = &body.code.types[*ty as usize];
            let object = self.state.memory.new_object(
                Some(whole.size),
                u64::from(whole.alignment),
                Initial::Unknown(Source::Undefined),
            );
            let zero = self.state.constant(64, 0);
            let copy = Value::Address(object, zero);
            self.copy_bytes(&copy, &from, whole.size);
            values[*number as usize] = copy;
        }
        // A call may hand over fewer or other things than the callee says it takes.
        let Some(callee) = code.body(callee) else { return values };
        let types = crate::code::parameters(callee.code, callee.function).to_vec();
        // What goes behind `...` comes back from a list that is not followed.
        values.iter().skip(types.len()).for_each(|value| self.state.memory.let_go(value));
        values.truncate(types.len());
        for ty in &types[values.len()..] {
            let value = self.state.unknown_of(callee.code, *ty, &Source::Undefined);
            values.push(value);
        }
        values
    }

    /// A call in the middle of a path.
    fn call(
        &mut self,
        frame: &Frame,
        activation: &mut Activation,
        body: Body<'a>,
        call: &Call,
        at: (u32, u32),
        ty: u32,
    ) -> Value {
        let code = self.cx.code;
        let mut called = code.called(body.unit, body.code, call);
        if let Called::Pointer(pointer) = called
            && let Value::Address(object, offset) = self.operand(activation, body, pointer)
            && self.state.terms.as_constant(offset) == Some(0)
            && let Some(function) = self.state.memory.function_at(object)
        {
            called = Called::Known(function);
        }
        let here = self.state.here;
        match called {
            Called::Known(callee) => {
                if let Some(inner) = frame.inside.get(&at) {
                    let parameters = self.arguments(activation, body, call, callee);
                    let mut address = activation.at.clone();
                    address.1.push(at);
                    let mut inside = self.activate(callee, parameters, address);
                    let result = self.run(inner, &mut inside, None);
                    self.state.here = here;
                    return result.unwrap_or(Value::Opaque);
                }
                let source = Source::Point(self.points.len());
                let what = Open::Call { step: at.0, at: at.1, callee };
                self.points.push(Point { frame: activation.at.clone(), what, place: here });
                let effects = self.cx.summaries.of(callee).clone();
                let own = Effects { values: Default::default(), let_go: Default::default(), ..effects.clone() };
                let arguments: Vec<Value> = call.arguments.iter().map(|a| self.operand(activation, body, *a)).collect();
                arguments.iter().for_each(|argument| self.state.memory.let_go(argument));
                for (number, argument) in arguments.iter().enumerate() {
                    let copied = call.copies.iter().any(|(copied, _)| *copied as usize == number);
                    if effects.values.contains(&(number as u32)) && !copied {
                        self.state.overwrite_at(code, argument, &source);
                    }
                }
                self.suffer(activation, &own, &source);
                self.state.unknown_of(body.code, ty, &source)
            }
            Called::Outside(name) if library::returns_twice(name) => {
                let (source, flow) = (Source::Outside(name.into(), here), self.flows.of(code, activation.function));
                self.come_back(activation, &flow, &[here.block], &source);
                self.state.unknown_of(body.code, ty, &source)
            }
            Called::Outside(name) => self.outside(activation, body, call, name, ty),
            Called::Pointer(_) | Called::Assembly => {
                let name = if called == Called::Assembly { "assembly" } else { "a function pointer" };
                let source = Source::Outside(name.into(), here);
                for argument in &call.arguments {
                    let argument = self.operand(activation, body, *argument);
                    self.state.memory.let_go(&argument);
                }
                self.state.memory.overwrite_all(code, &source);
                self.state.unknown_of(body.code, ty, &source)
            }
        }
    }
}
