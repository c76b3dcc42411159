//! Inputs between the solver's variables and the executor's bytes.

use rand_core::RngCore;
use symcrete_abi::input::{SourceKind, ValueKind};
use symcrete_event::{Declared, InputKind, InputObject};
use symcrete_exec::{Input, ObjectKind, SourceSpec};
use symcrete_search::Rng;
use symcrete_solve::Model;
use symcrete_term::{TermId, Terms, Var};

/// The sources of the settings, as the executor has them.
pub fn sources(declared: &[Declared]) -> Vec<SourceSpec> {
    let spec =
        |d: &Declared| SourceSpec { kind: d.kind.source(), name: d.name.clone(), capacity: d.capacity, exact: d.exact };
    declared.iter().map(spec).collect()
}

/// The value an input gives to a variable; 0 for what it does not have.
pub fn value(input: &Input, var: Var) -> u128 {
    match var {
        Var::Byte { object, offset } => u128::from(input.byte(object, offset).unwrap_or(0)),
        Var::Length { object } => input.length(object).unwrap_or(0) as u128,
    }
}

/// The parent's input with the model's values. Objects that grow are filled up with random bytes: nothing
/// is known about them yet.
pub fn with_model(parent: &Input, model: &Model, sources: &[SourceSpec], rng: &mut Rng) -> Input {
    let mut input = parent.clone();
    for (var, value) in model.iter() {
        if let Var::Length { object } = var
            && let Some(object) = input.objects.get_mut(object as usize)
        {
            let old = object.bytes.len();
            object.bytes.resize(value as usize, 0);
            if old < object.bytes.len() {
                rng.fill_bytes(&mut object.bytes[old..]);
            }
        }
    }
    for (var, value) in model.iter() {
        if let Var::Byte { object, offset } = var
            && let Some(bytes) = input.objects.get_mut(object as usize).map(|o| &mut o.bytes)
        {
            let bound = sources.get(object as usize).map_or(bytes.len(), |s| s.capacity as usize);
            if offset as usize >= bytes.len()
                && (offset as usize) < bound
                && model.get(Var::Length { object }).is_none()
            {
                bytes.resize(offset as usize + 1, 0);
            }
            if let Some(byte) = bytes.get_mut(offset as usize) {
                *byte = value as u8;
            }
        }
    }
    for (object, source) in input.objects.iter_mut().zip(sources) {
        source.fit(&mut object.bytes);
    }
    input
}

/// Lengths cannot exceed what their source may have: one condition per length that the query speaks of.
pub fn length_bounds(terms: &mut Terms, conditions: &[TermId], sources: &[SourceSpec]) -> Vec<TermId> {
    let mut objects: Vec<u32> = vec![];
    for (object, source) in sources.iter().enumerate() {
        let Some(id) = terms.var_id(Var::Length { object: object as u32 }) else { continue };
        if !source.exact && conditions.iter().any(|c| terms.var_sets().contains(terms.vars(*c), id)) {
            objects.push(object as u32);
        }
    }
    objects
        .into_iter()
        .map(|object| {
            let length = terms.var(Var::Length { object });
            let bound = terms.constant(64, u128::from(sources[object as usize].capacity));
            terms.ule(length, bound)
        })
        .collect()
}

/// For people and files.
pub fn objects(input: &Input) -> Vec<InputObject> {
    let kind = |kind: ObjectKind| match kind {
        ObjectKind::Declared(SourceKind::Buffer) => InputKind::Buffer,
        ObjectKind::Declared(SourceKind::Stdin) => InputKind::Stdin,
        ObjectKind::Declared(SourceKind::Arg) => InputKind::Arg,
        ObjectKind::Declared(SourceKind::Env) => InputKind::Env,
        ObjectKind::Declared(SourceKind::File) => InputKind::File,
        ObjectKind::Declared(SourceKind::Socket) => InputKind::Socket,
        ObjectKind::Declared(SourceKind::Request) | ObjectKind::Requested(ValueKind::Bytes) => InputKind::Bytes,
        ObjectKind::Requested(ValueKind::Signed) => InputKind::Signed,
        ObjectKind::Requested(ValueKind::Unsigned) => InputKind::Unsigned,
        ObjectKind::Requested(ValueKind::Float) => InputKind::Float,
        ObjectKind::Requested(ValueKind::Bool) => InputKind::Bool,
        ObjectKind::Requested(ValueKind::Choice) => InputKind::Choice,
    };
    input
        .objects
        .iter()
        .map(|o| InputObject { kind: kind(o.kind), name: o.name.clone(), bytes: o.bytes.clone() })
        .collect()
}
