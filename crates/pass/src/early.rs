//! The early stage: decide which functions are tracked, clone them, let clones call clones, extract the
//! model and plant the markers.
//!
//! The originals only get marks beside comparisons of counters, and switches in place of computed gotos: what is optimised
//! into the fast body is the program as it was.

use crate::code::Code;
use crate::counted;
use crate::ir::{Block, Builder, Module, Opcode, Type, Value};
use crate::paths::{self, Walks};
use crate::sides;
use crate::{DISPATCH, HIDDEN, MARKER, SUFFIX, TRACKING};
use llvm_sys::LLVMLinkage as L;
use rustc_hash::{FxHashMap, FxHasher};
use std::hash::{Hash, Hasher};
use symcrete_program::code::UnitCode;
use symcrete_program::{Block as ModelBlock, Body, Call, FORMAT, Function, Linkage, Location, Parameter, Unit};

pub fn run(module: Module) -> (Unit, Walks, UnitCode) {
    let mut unit = Unit {
        format: FORMAT,
        path: module.source_file(),
        folder: env("SYMCRETE_FOLDER"),
        command: serde_json::from_str(&env("SYMCRETE_COMMAND")).unwrap_or_default(),
        model: !env("SYMCRETE_MODEL").is_empty(),
        ..Unit::default()
    };
    let originals: Vec<Value> = module.functions().into_iter().filter(|f| is_users(*f)).collect();
    let mut clones: FxHashMap<Value, Value> = FxHashMap::default();
    let mut dispatched = vec![];
    let mut described = vec![];
    for &function in &originals {
        function.number_labels();
        let address_taken = function.has_address_taken();
        let body = match obstacle(function) {
            Some(reason) => Body::Original(reason.into()),
            None => {
                let clone = function.clone_function(&format!("{}{SUFFIX}", function.name()));
                clone.add_string_attribute(module, TRACKING);
                if linkage(function) != Linkage::Internal || address_taken {
                    dispatched.push(function);
                    dispatched.push(clone);
                }
                clones.insert(function, clone);
                Body::Tracked
            }
        };
        described.push((function, body, address_taken));
    }
    for clone in clones.values() {
        redirect_calls(*clone, &clones);
    }
    let marker = module.declare_function(MARKER, Type::function(module.void(), &[module.int(32)]));
    marker.make_marker();
    let mut walks = Walks::default();
    let mut code = Code::new(module);
    let numbers: FxHashMap<Value, u32> = (described.iter().enumerate())
        .filter_map(|(number, (function, ..))| Some((*clones.get(function)?, number as u32)))
        .collect();
    for (function, body, address_taken) in described {
        let tracked = clones.get(&function).copied();
        if let Some(clone) = tracked {
            sides::expand_booleans(module, clone);
            sides::expand_selects(module, clone);
        }
        code.add(tracked.unwrap_or(function));
        let number = unit.functions.len() as u32;
        let source = tracked.unwrap_or(function);
        let mut model = describe(&mut unit, function, source, body, address_taken);
        model.first_side = unit.sides.len() as u32;
        if let Some(clone) = tracked {
            let planted = sides::find(&mut unit, number, clone, &mut model.blocks);
            let marks = paths::find(&mut walks, number, clone, &model, &numbers);
            sides::plant(module, marker, planted);
            paths::place(module, marker, marks);
        } else {
            walks.paths.functions.push(Default::default());
        }
        model.side_count = unit.sides.len() as u32 - model.first_side;
        unit.functions.push(model);
    }
    let hidden = module.declare_function(HIDDEN, Type::function(module.ptr(), &[module.ptr()]));
    hidden.make_pure();
    for clone in clones.values() {
        hide_callees(module, *clone, &clones, hidden);
    }
    code.add_aliases();
    keep_constructors(module, &clones);
    if !unit.model {
        counted::plant(module, &originals);
    }
    if !dispatched.is_empty() {
        let table = module.declare_global(DISPATCH, module.array(module.ptr(), dispatched.len() as u64));
        table.set_initializer_array(module, &dispatched);
        table.set_constant();
    }
    (unit, walks, code.unit)
}

fn env(name: &str) -> String {
    std::env::var(name).unwrap_or_default()
}

/// Defined here for good, and not one of the runtime's own.
fn is_users(function: Value) -> bool {
    let name = function.name();
    !function.is_declaration()
        && function.linkage() != L::LLVMAvailableExternallyLinkage
        && (!name.starts_with("__symcrete_") || name.starts_with(symcrete_abi::libc_models::PREFIX))
        && !name.starts_with("llvm.")
        && !matches!(name.as_str(), "_start")
}

/// Why a function cannot have a tracking body.
fn obstacle(function: Value) -> Option<&'static str> {
    if function.has_attribute("naked") {
        return Some("naked");
    }
    if function.has_attribute("presplitcoroutine") {
        return Some("coroutine");
    }
    if function.has_string_attribute("symcrete-original") {
        return Some("asked not to");
    }
    for block in function.blocks() {
        for instruction in block.instructions() {
            match instruction.opcode() {
                Opcode::LLVMCallBr => return Some("asm goto"),
                Opcode::LLVMCall if instruction.is_must_tail() => return Some("musttail"),
                _ => {}
            }
        }
    }
    None
}

fn linkage(function: Value) -> Linkage {
    match function.linkage() {
        L::LLVMInternalLinkage | L::LLVMPrivateLinkage => Linkage::Internal,
        L::LLVMLinkOnceODRLinkage | L::LLVMLinkOnceAnyLinkage | L::LLVMWeakODRLinkage => Linkage::Odr,
        _ => Linkage::External,
    }
}

/// Calls of a function whose definition here is the one that will run go to its clone. The others keep
/// the original's name: its entry dispatches.
fn redirect_calls(clone: Value, clones: &FxHashMap<Value, Value>) {
    for block in clone.blocks() {
        for instruction in block.instructions() {
            if !instruction.is_call() {
                continue;
            }
            let Some(callee) = instruction.called_function() else { continue };
            if let Some(target) = clones.get(&callee)
                && !callee.is_interposable()
                && instruction.called_type() == callee.function_type()
            {
                instruction.set_callee(*target);
            }
        }
    }
}

/// Calls that optimisers may find out to be calls of a function with a clone: they would take its original in.
fn hide_callees(module: Module, clone: Value, clones: &FxHashMap<Value, Value>, hidden: Value) {
    for instruction in clone.blocks().into_iter().flat_map(|block| block.instructions()) {
        let callee = instruction.is_call().then(|| instruction.called_value());
        let may_be = |callee: &Value| !callee.is_inline_asm() && (!callee.is_function() || clones.contains_key(callee));
        if let Some(callee) = callee.filter(may_be) {
            instruction.set_callee(Builder::before(module, instruction).call(hidden, &[callee]));
        }
    }
}

/// Constructors that LLVM could run at compile time are left for the start of the program, where their sides are seen.
/// Those of C++ objects are not touched: another file may use what was computed so before its turn comes.
fn keep_constructors(module: Module, clones: &FxHashMap<Value, Value>) {
    let list = module.global("llvm.global_ctors").and_then(|list| list.initial()?.constant_elements());
    let mut kept = None;
    for function in list.into_iter().flatten().filter_map(|entry| entry.constant_elements()?.get(1).copied()) {
        if !clones.contains_key(&function) || function.name().starts_with("_GLOBAL__") {
            continue;
        }
        let Some(first) = function.entry().instructions().into_iter().find(|instruction| !instruction.is_alloca())
        else {
            continue;
        };
        let byte = module.int(8);
        let kept = *kept.get_or_insert_with(|| module.define_global("__symcrete_kept", byte, module.int_value(8, 0)));
        Builder::before(module, first).load_volatile(byte, kept, 1);
    }
}

fn describe(unit: &mut Unit, function: Value, source: Value, body: Body, address_taken: bool) -> Function {
    let mut hasher = FxHasher::default();
    let numbers: FxHashMap<Block, u32> = source.blocks().into_iter().enumerate().map(|(i, b)| (b, i as u32)).collect();
    let mut blocks = vec![];
    for block in source.blocks() {
        let mut model = ModelBlock::default();
        for instruction in block.instructions() {
            (instruction.opcode() as u32).hash(&mut hasher);
            let line = crate::lines::line(instruction);
            if line != 0 && model.lines.last() != Some(&line) {
                model.lines.push(line);
            }
            if model.location.line == 0 && line != 0 {
                model.location = location(unit, instruction);
            }
            if instruction.is_call() && !instruction.is_debug_or_pseudo() {
                let callee = instruction.called_value();
                if !callee.is_function() {
                    model.calls.push(Call::Indirect(instruction.called_type().spelling()));
                } else if callee.intrinsic_name().is_none() {
                    let name = callee.name();
                    model.calls.push(Call::Direct(name.strip_suffix(SUFFIX).unwrap_or(&name).into()));
                }
            }
        }
        model.successors = block.successors().iter().map(|b| numbers[b]).collect();
        model.successors.hash(&mut hasher);
        model.lines.sort_unstable();
        model.lines.dedup();
        blocks.push(model);
    }
    let name = function.name();
    let source_name = Some(function.source_name()).filter(|n| !n.is_empty()).unwrap_or_else(|| name.clone());
    let file = function.source_file();
    let place = Location { file: file_number(unit, &file), line: function.function_line(), column: 0 };
    let parameters =
        function.parameters().iter().map(|p| Parameter { name: p.name(), ty: p.ty().spelling() }).collect();
    Function {
        linkage: linkage(function),
        name,
        source_name,
        body,
        location: place,
        hash: hasher.finish(),
        address_taken,
        parameters,
        blocks,
        first_side: 0,
        side_count: 0,
    }
}

pub fn location(unit: &mut Unit, instruction: Value) -> Location {
    let line = instruction.line();
    if line == 0 {
        return Location::default();
    }
    let file = instruction.file();
    Location { file: file_number(unit, &file), line, column: instruction.column() }
}

fn file_number(unit: &mut Unit, file: &str) -> u32 {
    match unit.files.iter().position(|f| f == file) {
        Some(i) => i as u32,
        None => {
            unit.files.push(file.into());
            unit.files.len() as u32 - 1
        }
    }
}
