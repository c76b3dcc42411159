//! What code outside the program knows, and may call with whatever it knows.

use super::Work;
use super::memory::Kind;
use super::set::{ObjectId, Set};
use crate::code::{Body, GlobalId, parameters};
use rustc_hash::FxHashSet;
use symcrete_program::FunctionId;

impl<'a> Work<'_, 'a> {
    /// Code outside knows an address from now on: of what, says the set.
    pub(super) fn escape(&mut self, set: &Set) {
        for (object, _) in &set.places {
            self.escape_object(*object);
        }
    }

    pub(super) fn escape_object(&mut self, object: ObjectId) {
        if std::mem::replace(&mut self.memory.of_mut(object).escaped, true) {
            return;
        }
        for cell in self.memory.of(object).cells.clone() {
            self.escape(&cell.set);
        }
        if let Kind::Function(function) = self.memory.of(object).kind {
            self.called_from_outside(function);
        }
        self.read_again(object);
    }

    /// Called by code outside, with whatever it knows.
    pub(super) fn called_from_outside(&mut self, function: FunctionId) {
        self.enter(function);
        let count = self.code.body(function).map_or(0, |body| parameters(body.code, body.function).len() as u32);
        (0..count).for_each(|number| self.grow(function, number, &Set::top()));
        let returned = self.returns[function.index()].clone();
        self.escape(&returned);
        let kind = Kind::Function(function);
        let object = self.memory.find(&kind).unwrap_or_else(|| self.memory.add(kind, Some(1)));
        self.memory.of_mut(object).escaped = true;
    }

    /// Code outside may know every name of the program.
    pub(super) fn become_foreign(&mut self) {
        if std::mem::replace(&mut self.foreign, true) {
            return;
        }
        for number in 0..self.code.globals.len() as u32 {
            if !self.code.globals[number as usize].internal {
                let object = self.global(GlobalId(number));
                self.escape_object(object);
            }
        }
        let external = |(_, body): &(FunctionId, Body<'a>)| crate::code::is_external(body.model);
        for (function, _) in self.code.bodies().filter(external).collect::<Vec<_>>() {
            self.called_from_outside(function);
        }
    }

    /// Functions that code outside may call.
    pub(super) fn known_outside(&self) -> impl Iterator<Item = FunctionId> + '_ {
        self.memory.objects.iter().filter(|object| object.escaped).filter_map(|object| match object.kind {
            Kind::Function(function) => Some(function),
            _ => None,
        })
    }

    /// Whether there are jumps back, here or in code outside that may know where to.
    pub(super) fn has_jumps(&self) -> bool {
        self.returns_twice || !self.jumpers.is_empty()
    }

    /// Whether functions may be left by a jump, by number: they jump, or call one that does, or code that may call one.
    pub(super) fn left_by_jumps(&self) -> Vec<bool> {
        let mut left = vec![false; self.calls.len()];
        if !self.has_jumps() {
            return left;
        }
        let mut grown = true;
        while std::mem::take(&mut grown) {
            for number in 0..left.len() {
                let jumps = self.calls_out[number] || self.jumpers.contains(&FunctionId(number as u32));
                if !left[number] && (jumps || self.calls[number].iter().any(|callee| left[callee.index()])) {
                    (left[number], grown) = (true, true);
                }
            }
        }
        left
    }

    /// Functions that are called from some, with themselves.
    pub(super) fn reachable_from(&self, functions: &[FunctionId]) -> FxHashSet<FunctionId> {
        let mut met: FxHashSet<FunctionId> = FxHashSet::default();
        let mut waiting = functions.to_vec();
        while let Some(function) = waiting.pop() {
            if !met.insert(function) {
                continue;
            }
            waiting.extend(self.calls[function.index()].iter().copied());
            if self.calls_out[function.index()] {
                waiting.extend(self.known_outside());
            }
        }
        met
    }
}
