//! Stretches that only compute: evaluated once, all their ways together, each value a choice by the way taken.
//! Nothing is left open then.

use crate::code::{Body, Called, Place};
use crate::evaluate::{Activation, Evaluator};
use crate::flow::Flow;
use crate::library;
use crate::value::Value;
use rustc_hash::FxHashMap;
use symcrete_program::code::What;
use symcrete_term::TermId;

/// Blocks and instructions of such a stretch.
const MOST_BLOCKS: usize = 48;
const MOST_INSTRUCTIONS: usize = 1500;

impl<'a> Evaluator<'_, '_, 'a> {
    /// Goes from a block to one it dominates by all ways at once; false, and nothing done, where that cannot be.
    pub fn merge(&mut self, activation: &mut Activation, body: Body<'a>, flow: &Flow, from: u32, to: u32) -> bool {
        let between = flow.between(from, to);
        let Some(order) = self.order(body, &between, to) else { return false };
        let mut guards: FxHashMap<u32, TermId> = FxHashMap::from_iter([(from, TermId::TRUE)]);
        for block in order {
            let guard = self.enter_merged(activation, body, flow, &guards, block);
            guards.insert(block, guard);
            for (at, instruction) in body.function.blocks[block as usize].iter().enumerate() {
                let place = Place { function: activation.function, block, at: at as u32 };
                self.state.here = place;
                let value = match &instruction.what {
                    What::Phi(_) => continue,
                    What::Store { value, to, .. } => {
                        self.store_if(activation, body, guard, *value, *to);
                        continue;
                    }
                    What::Call(call) => {
                        let Called::Outside(name) = self.cx.code.called(body.unit, body.code, call) else { continue };
                        self.outside(activation, body, call, name, instruction.ty)
                    }
                    what => self.operation(activation, body, what, instruction.ty),
                };
                let slot = self.cx.code.value(place) as usize;
                activation.values[slot] = Some(value);
            }
        }
        self.state.here = Place { function: activation.function, block: to, at: 0 };
        let arrives = self.enter_merged(activation, body, flow, &guards, to);
        self.state.require(arrives);
        true
    }

    /// The blocks of a stretch in an order in which each comes after those that lead to it; nothing when it has a
    /// loop, is large, or does more than compute.
    fn order(&self, body: Body<'a>, between: &[u32], to: u32) -> Option<Vec<u32>> {
        let instructions: usize = between.iter().map(|&b| body.function.blocks[b as usize].len()).sum();
        if between.contains(&to) || between.len() > MOST_BLOCKS || instructions > MOST_INSTRUCTIONS {
            return None;
        }
        let computes = |what: &What| match what {
            What::Call(call) => match self.cx.code.called(body.unit, body.code, call) {
                Called::Outside(name) => {
                    // What asks, assumes or allocates happens on one way only.
                    let plain = name.starts_with("llvm.")
                        || name == "symcrete_target"
                        || symcrete_term::native::number(name).is_some();
                    plain && library::writes(name) == library::Writes::Nothing
                }
                _ => false,
            },
            What::Load { volatile, .. } | What::Store { volatile, .. } => !volatile,
            What::Invoke(_)
            | What::Alloca { .. }
            | What::ReadModifyWrite { .. }
            | What::CompareExchange { .. }
            | What::Other(..)
            | What::LandingPad => false,
            _ => true,
        };
        if !between.iter().all(|&b| body.function.blocks[b as usize].iter().all(|i| computes(&i.what))) {
            return None;
        }
        let mut waiting: FxHashMap<u32, usize> = between.iter().map(|&block| (block, 0)).collect();
        let successors = |block: u32| {
            let mut all = body.model.blocks[block as usize].successors.clone();
            all.sort_unstable();
            all.dedup();
            all
        };
        for &block in between {
            for next in successors(block) {
                if let Some(count) = waiting.get_mut(&next) {
                    *count += 1;
                }
            }
        }
        let mut ready: Vec<u32> = between.iter().copied().filter(|block| waiting[block] == 0).collect();
        let mut order = vec![];
        while let Some(block) = ready.pop() {
            order.push(block);
            for next in successors(block) {
                if let Some(count) = waiting.get_mut(&next) {
                    *count -= 1;
                    if *count == 0 {
                        ready.push(next);
                    }
                }
            }
        }
        (order.len() == between.len()).then_some(order)
    }

    /// Sets the values that depend on where a block is entered from; when it is entered at all.
    fn enter_merged(
        &mut self,
        activation: &mut Activation,
        body: Body<'a>,
        flow: &Flow,
        guards: &FxHashMap<u32, TermId>,
        block: u32,
    ) -> TermId {
        let mut ways: Vec<(u32, TermId)> = vec![];
        for &before in &flow.predecessors[block as usize] {
            let Some(&guard) = guards.get(&before) else { continue };
            let edge = self.edge(activation, body, before, block);
            ways.push((before, self.state.terms.and(guard, edge)));
        }
        let any = ways.iter().fold(TermId::FALSE, |any, (_, way)| self.state.terms.or(any, *way));
        let mut values = vec![];
        for instruction in &body.function.blocks[block as usize] {
            let What::Phi(incoming) = &instruction.what else { break };
            let mut value: Option<Value> = None;
            for (before, way) in &ways {
                let Some((_, operand)) = incoming.iter().find(|(from, _)| from == before) else { continue };
                let this = self.operand(activation, body, *operand);
                value = Some(match value {
                    None => this,
                    Some(other) => self.state.select(*way, this, other),
                });
            }
            values.push(value.unwrap_or(Value::Opaque));
        }
        self.set_phis(activation, block, values);
        any
    }

    /// A store that happens under a condition.
    fn store_if(
        &mut self,
        activation: &Activation,
        body: Body<'a>,
        guard: TermId,
        value: symcrete_program::code::Operand,
        to: symcrete_program::code::Operand,
    ) {
        let code = self.cx.code;
        let ty = code.type_of(activation.function, value);
        let (value, to) = (self.operand(activation, body, value), self.operand(activation, body, to));
        match ty {
            Some(ty) => {
                let old = self.state.load(code, body.code, ty, &to);
                let new = self.state.select(guard, value, old);
                self.state.store(code, body.code, ty, &to, new);
            }
            None => {
                let old = self.state.load_word(code, &to, 8);
                self.state.memory.let_go(&value);
                let new = self.state.select(guard, value, old);
                self.state.write(code, &to, 8, new);
            }
        }
    }
}
