//! Who calls whom: the ways up from a function, and what could call it without being seen.

use crate::code::{Called, Code, Place, is_external};
use crate::library;
use crate::possible::Possible;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::VecDeque;
use symcrete_program::FunctionId;
use symcrete_program::code::What;

pub struct Callers {
    by_name: FxHashMap<FunctionId, Vec<Place>>,
    /// Calls through pointers, by the number of their arguments.
    by_pointer: FxHashMap<usize, Vec<Place>>,
    /// Functions that runs can get to, with the number of calls that takes.
    distance: FxHashMap<FunctionId, u32>,
    /// Those that constructors may run.
    early: FxHashSet<FunctionId>,
    /// A call of something that may call back what it was given the address of.
    calls_back: Option<(String, Place)>,
    /// The same of something that is linked in and may know every name.
    foreign: Option<(String, Place)>,
    /// A call by which something comes in that is no input.
    environment: Option<(String, Place)>,
    /// A call after which blocks do not follow each other as the model says.
    disorder: Option<(String, Place)>,
    /// For want of a name.
    somebody: (String, Place),
}

/// The calls in each function.
#[derive(Default)]
struct Calls {
    known: FxHashMap<FunctionId, Vec<FunctionId>>,
    outside: FxHashMap<FunctionId, Vec<(String, Place)>>,
    pointers: FxHashSet<FunctionId>,
}

impl Callers {
    /// With what values can be, only what really leads anywhere counts.
    pub fn new(
        code: &Code<'_>,
        entry: FunctionId,
        before_entry: &[FunctionId],
        constructor: Option<&String>,
        possible: Option<&Possible>,
    ) -> Callers {
        let begin = Place { function: entry, block: 0, at: 0 };
        let mut callers = Callers {
            by_name: FxHashMap::default(),
            by_pointer: FxHashMap::default(),
            distance: FxHashMap::default(),
            early: FxHashSet::default(),
            calls_back: None,
            foreign: constructor.map(|name| (name.clone(), begin)),
            environment: None,
            disorder: None,
            somebody: ("code outside".into(), begin),
        };
        let is_live = |place: Place| possible.is_none_or(|possible| possible.is_live(place.function, place.block));
        let mut calls = Calls::default();
        for (function, body) in code.bodies() {
            for (block, list) in body.function.blocks.iter().enumerate() {
                for (at, instruction) in list.iter().enumerate() {
                    let place = Place { function, block: block as u32, at: at as u32 };
                    let (What::Call(call) | What::Invoke(call)) = &instruction.what else { continue };
                    if !is_live(place) {
                        continue;
                    }
                    match code.called(body.unit, body.code, call) {
                        Called::Known(callee) => {
                            callers.by_name.entry(callee).or_default().push(place);
                            calls.known.entry(function).or_default().push(callee);
                            let model = code.body(callee).filter(|body| code.program.unit(body.unit).model);
                            let name = model.and_then(|body| symcrete_program::modelled(&body.model.name));
                            if let Some(name) = name.filter(|name| library::only_writes(name)) {
                                calls.outside.entry(function).or_default().push((name.to_owned(), place));
                            }
                        }
                        Called::Outside(name) => {
                            calls.outside.entry(function).or_default().push((name.to_owned(), place))
                        }
                        Called::Pointer(_) => {
                            callers.by_pointer.entry(call.arguments.len()).or_default().push(place);
                            calls.pointers.insert(function);
                        }
                        Called::Assembly => {}
                    }
                }
            }
        }
        let early = callers.follow(code, possible, &calls, &code.constructors());
        callers.early = early.into_keys().collect();
        let begins = [&[entry], before_entry].concat();
        callers.distance = callers.follow(code, possible, &calls, &begins);
        callers
    }

    /// Every function that calls lead to from some, with the number of calls that takes; what stands in the way of
    /// knowing them all is noted.
    fn follow(
        &mut self,
        code: &Code<'_>,
        possible: Option<&Possible>,
        calls: &Calls,
        begins: &[FunctionId],
    ) -> FxHashMap<FunctionId, u32> {
        let address_taken: Vec<FunctionId> = code.bodies().map(|(id, _)| id).filter(|id| code.is_taken(*id)).collect();
        let mut found: FxHashMap<FunctionId, u32> = FxHashMap::default();
        let mut work: VecDeque<(FunctionId, u32)> = begins.iter().map(|&function| (function, 0)).collect();
        let (mut all_taken, mut all_named) = (false, false);
        while let Some((function, distance)) = work.pop_front() {
            if found.contains_key(&function) {
                continue;
            }
            if possible.is_some_and(|possible| !possible.is_entered(function)) {
                continue;
            }
            found.insert(function, distance);
            work.extend(calls.known.get(&function).into_iter().flatten().map(|&callee| (callee, distance + 1)));
            let unit = code.body(function).map(|body| body.unit);
            let of_ours = unit.is_some_and(|unit| code.program.unit(unit).model);
            for (name, place) in calls.outside.get(&function).into_iter().flatten() {
                if code.is_input(name) {
                    continue;
                }
                if library::breaks_order(name) && !of_ours {
                    self.disorder.get_or_insert((name.clone(), *place));
                }
                let unasked = || library::only_writes(name) && !code.is_used(*place);
                if !library::is_repeatable(name) && !of_ours && !unasked() {
                    self.environment.get_or_insert((name.clone(), *place));
                }
                if !library::is_known(name) && !of_ours {
                    self.calls_back.get_or_insert((name.clone(), *place));
                    if code.is_foreign(name) {
                        self.foreign.get_or_insert((name.clone(), *place));
                    }
                }
            }
            let leads_anywhere = calls.pointers.contains(&function) || self.calls_back.is_some();
            if leads_anywhere && !std::mem::replace(&mut all_taken, true) {
                work.extend(address_taken.iter().map(|&callee| (callee, distance + 1)));
            }
            if self.foreign.is_some() && !std::mem::replace(&mut all_named, true) {
                work.extend(
                    code.bodies().filter(|(_, body)| is_external(body.model)).map(|(id, _)| (id, distance + 1)),
                );
            }
        }
        found
    }

    pub fn is_reachable(&self, function: FunctionId) -> bool {
        self.distance.contains_key(&function)
    }

    /// Whether a constructor may run a function: that is part of no run's path.
    pub fn is_early(&self, function: FunctionId) -> bool {
        self.early.contains(&function)
    }

    pub fn distance(&self, function: FunctionId) -> u32 {
        self.distance.get(&function).copied().unwrap_or(u32::MAX)
    }

    /// Every call that may enter a function, of functions that runs can get to; nearest to the entry first.
    pub fn of(&self, code: &Code<'_>, possible: Option<&Possible>, function: FunctionId) -> Vec<Place> {
        let mut places: Vec<Place> = self.by_name.get(&function).cloned().unwrap_or_default();
        if let Some(body) = code.body(function).filter(|_| code.is_taken(function)) {
            let parameters = crate::code::parameters(body.code, body.function).len();
            // C lets a call hand over more than is taken.
            for (count, list) in &self.by_pointer {
                let may = |call: &&Place| possible.is_none_or(|possible| possible.may_call(**call, function));
                if *count >= parameters {
                    places.extend(list.iter().filter(may));
                }
            }
        }
        places.retain(|place| self.is_reachable(place.function));
        places.sort_by_key(|place| (self.distance(place.function), *place));
        places
    }

    /// What may enter a function without a call that the model has.
    pub fn unseen(
        &self,
        code: &Code<'_>,
        possible: Option<&Possible>,
        function: FunctionId,
    ) -> Option<&(String, Place)> {
        if possible.is_some_and(|possible| !possible.is_escaped(function)) {
            return None;
        }
        let named = code.body(function).is_some_and(|body| is_external(body.model));
        let back = self.calls_back.as_ref().filter(|_| code.is_taken(function));
        let seen = back.or(self.foreign.as_ref().filter(|_| named));
        // Not found so, but known to be possible.
        seen.or(possible.map(|_| &self.somebody))
    }

    /// Whether what a run does depends on its input alone, as far as calls show.
    pub fn is_closed(&self) -> bool {
        self.environment.is_none()
    }

    pub fn disorder(&self) -> Option<&(String, Place)> {
        self.disorder.as_ref()
    }
}
