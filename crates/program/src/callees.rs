//! Who a call can reach: by name where it has one, by the types of the parameters where it goes through a pointer.
//! Never guesses about functions that are not part of the program.

use crate::{Call, Function, FunctionId, Linkage, Program, UnitId};
use std::collections::HashMap;
use symcrete_abi::libc_models::{NATIVE, PREFIX};

/// What optimisers make of calls of the C library when an argument is known: other calls of it.
const SIMPLIFIED: [(&str, &[&str]); 5] = [
    ("strcmp", &["memcmp", "bcmp"]),
    ("strncmp", &["memcmp", "bcmp"]),
    ("memcmp", &["bcmp"]),
    ("strchr", &["memchr"]),
    ("strstr", &["strncmp", "memcmp", "strchr"]),
];

/// All functions of a program by what they can be called through.
pub struct Callees<'a> {
    /// Functions that other units see.
    external: HashMap<&'a str, FunctionId>,
    internal: HashMap<(UnitId, &'a str), FunctionId>,
    /// Functions whose address is taken, by the types of their parameters.
    by_parameters: HashMap<String, Vec<FunctionId>>,
}

impl<'a> Callees<'a> {
    pub fn new(program: &'a Program) -> Callees<'a> {
        let mut callees = Callees { external: HashMap::new(), internal: HashMap::new(), by_parameters: HashMap::new() };
        for (unit, id, function) in functions(program) {
            if function.linkage == Linkage::Internal {
                callees.internal.insert((unit, &function.name), id);
            } else {
                callees.external.entry(&function.name).or_insert(id);
            }
            if function.address_taken {
                let types: Vec<&str> = function.parameters.iter().map(|p| p.ty.as_str()).collect();
                callees.by_parameters.entry(types.join(", ")).or_default().push(id);
            }
        }
        callees
    }

    /// The functions a call by name reaches.
    pub fn named(&self, unit: UnitId, name: &str) -> Vec<FunctionId> {
        let own = self.internal.get(&(unit, name)).or_else(|| self.external.get(name));
        if let Some(&own) = own {
            return vec![own];
        }
        let others = SIMPLIFIED.iter().find(|(from, _)| *from == name).map_or(&[][..], |(_, to)| to);
        let model = |name: &str| self.external.get(format!("{PREFIX}{name}").as_str()).copied();
        model(name).into_iter().chain(others.iter().filter_map(|&name| model(name))).collect()
    }

    /// The functions a call through a pointer of this type can reach.
    pub fn of_type(&self, ty: &str) -> &[FunctionId] {
        parameters(ty).and_then(|types| self.by_parameters.get(types)).map_or(&[], Vec::as_slice)
    }

    pub fn of(&self, unit: UnitId, call: &Call) -> Vec<FunctionId> {
        match call {
            Call::Direct(name) => self.named(unit, name),
            Call::Indirect(ty) => self.of_type(ty).to_vec(),
        }
    }
}

/// The function of the library that one of ours is a model of, by their names.
pub fn modelled(name: &str) -> Option<&str> {
    name.strip_prefix(PREFIX)
}

/// The function of the library that a model calls by this name.
pub fn native(name: &str) -> Option<&str> {
    name.strip_prefix(NATIVE)
}

/// The parameters in LLVM's spelling of a function type.
pub(crate) fn parameters(ty: &str) -> Option<&str> {
    ty.split_once('(').and_then(|(_, rest)| rest.rsplit_once(')')).map(|(inside, _)| inside)
}

pub(crate) fn functions(program: &Program) -> impl Iterator<Item = (UnitId, FunctionId, &Function)> {
    program.units().flat_map(move |(id, unit)| {
        unit.functions.iter().enumerate().map(move |(local, f)| (id, program.function_id(id, local as u32), f))
    })
}
