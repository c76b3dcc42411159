//! The late stage: marks and dispatch for fast bodies, tracking for tracking bodies, and the unit's record.

mod calls;
mod counted;
mod dispatch;
mod floats;
mod intrinsics;
mod labels;
mod leaves;
mod marks;
mod math;
mod memory;
mod ops;
mod path;
mod segment;
mod sites;
mod track;
mod write;

use crate::ir::{Module, Type, Value};
use crate::paths::Walks;
use crate::{COUNTED, DISPATCH, HIDDEN, MARKER, SUFFIX, TRACKING};
use rustc_hash::{FxHashMap, FxHashSet};
use sites::Sites;
use symcrete_abi::functions::{self, Convention, Function, Ty};
use symcrete_abi::libc_models;
use symcrete_program::Unit;
use symcrete_program::details::Packed;

/// What all parts of the stage share.
pub struct Late {
    pub module: Module,
    pub sites: Sites,
    /// The address by which anyone may call a tracking body: the original where there is a dispatch.
    keys: FxHashMap<Value, Value>,
    pub sides: Value,
    pub site_base: Value,
    pub path: path::Numbers,
}

pub fn run(module: Module, unit: Unit, walks: Walks, code: Packed) {
    let pairs = take_dispatch_table(module);
    show_callees(module);
    let defined: Vec<Value> = module.functions().into_iter().filter(|f| !f.is_declaration()).collect();
    let (tracking, fast): (Vec<Value>, Vec<Value>) =
        defined.into_iter().partition(|f| f.has_string_attribute(TRACKING));
    let side_count = unit.sides.len().max(1) as u64;
    let bytes = module.array(module.int(8), side_count);
    let sides = module.define_global("__symcrete_unit_sides", bytes, bytes.zero());
    let site_base = module.define_global("__symcrete_site_base", module.int(32), module.int_value(32, 0));
    let keys = pairs.iter().map(|(original, body)| (*body, *original)).collect();
    let path = path::Numbers::new(&unit, walks);
    let mut late = Late { module, sites: Sites::new(unit), keys, sides, site_base, path };

    // Marks are writes, and a dispatch calls anything: what was inferred about memory no longer holds.
    for &function in &fast {
        function.strip_promises();
    }
    let marks = marks::place(&mut late, &fast);
    // Functions without a tracking body may have been inlined into one.
    counted::erase(&counted::calls(&tracking));
    if let Some(marker) = module.function(COUNTED) {
        marker.delete_function();
    }
    let models = addressed_models(&late);
    note_folded(&mut late, &tracking);
    for body in callees_first(&tracking) {
        track::track(&mut late, body);
        freeze(module, body);
    }
    for (original, body) in pairs {
        dispatch::insert(&mut late, original, body);
    }
    if let Some(marker) = module.function(MARKER)
        && marker.users().is_empty()
    {
        marker.delete_function();
    }
    write::unit(late, marks, &models, &code);
}

/// From here on no optimiser asks whom tracking bodies call.
fn show_callees(module: Module) {
    let Some(hidden) = module.function(HIDDEN) else { return };
    for call in hidden.users() {
        call.replace_all_uses(call.operand(0));
        call.erase();
    }
    hidden.delete_function();
}

/// The bodies in an order in which most of them come after those that they call.
fn callees_first(bodies: &[Value]) -> Vec<Value> {
    let callees = |body: Value| -> Vec<Value> {
        let all = body.blocks().into_iter().flat_map(|b| b.instructions());
        all.filter(|i| i.is_call()).filter_map(|i| i.called_function()).collect()
    };
    let (mut left, mut order): (FxHashSet<Value>, _) = (bodies.iter().copied().collect(), vec![]);
    for &root in bodies {
        let mut open = vec![(root, false)];
        while let Some((body, done)) = open.pop() {
            if done {
                order.push(body);
            } else if left.remove(&body) {
                open.push((body, true));
                open.extend(callees(body).into_iter().map(|callee| (callee, false)));
            }
        }
    }
    order
}

/// Sides without a marker are gone.
fn note_folded(late: &mut Late, tracking: &[Value]) {
    let blocks = tracking.iter().flat_map(|body| body.blocks());
    let left: FxHashSet<u32> = blocks.flat_map(|b| b.instructions()).filter_map(sites::marker_side).collect();
    for (number, side) in late.sites.unit.sides.iter_mut().enumerate() {
        side.folded = !left.contains(&(number as u32));
    }
}

/// Library functions with a model whose address is taken here, each with its model. Our models call native
/// functions by their own way.
fn addressed_models(late: &Late) -> Vec<Value> {
    if late.sites.unit.model {
        return vec![];
    }
    let taken = |f: &Value| f.is_declaration() && f.has_address_taken() && libc_models::has(&f.name());
    let functions: Vec<Value> = late.module.functions().into_iter().filter(taken).collect();
    functions.into_iter().flat_map(|f| [f, late.model(f)]).collect()
}

/// LLVM's own passes leave tracking bodies alone from the late stage on: what is checked and where is
/// settled, they have little to gain and most to read. Nor does anybody look for them in the source: sites do
/// that, and stacks of bugs come from runs that are not tracked.
fn freeze(module: Module, body: Value) {
    body.strip_locations();
    SIZE.iter().for_each(|name| body.remove_attribute(name));
    FROZEN.iter().for_each(|name| body.add_attribute(module, name));
}

/// After LLVM's last pass: the code generator does its best, for size, which is what costs here.
pub fn thaw(module: Module) {
    for body in module.functions().into_iter().filter(|f| f.has_string_attribute(TRACKING)) {
        FROZEN.iter().for_each(|name| body.remove_attribute(name));
        body.add_attribute(module, SIZE[0]);
    }
}

/// Neither may stand beside `optnone`.
const SIZE: [&str; 2] = ["optsize", "minsize"];
const FROZEN: [&str; 2] = ["optnone", "noinline"];

impl Late {
    /// The model of a library function.
    pub fn model(&self, function: Value) -> Value {
        let name = format!("{}{}", libc_models::PREFIX, function.name());
        self.module.declare_function(&name, function.function_type())
    }

    pub fn key(&self, body: Value) -> Value {
        self.keys.get(&body).copied().unwrap_or(body)
    }

    /// Declares a function of the runtime.
    pub fn runtime(&self, function: Function) -> Value {
        if let Some(found) = self.module.function(function.name) {
            return found;
        }
        let parameters: Vec<Type> = function.parameters.iter().map(|t| self.ty(*t)).collect();
        let declared =
            self.module.declare_function(function.name, Type::function(self.ty(function.result), &parameters));
        declared.add_attribute(self.module, "nounwind");
        // A shared object may be loaded by a program that has no runtime; its tracking bodies then rest.
        if self.module.is_shared_code() {
            declared.set_weak();
        }
        if function.convention == Convention::Slow {
            declared.set_convention(crate::ir::PRESERVE_MOST);
            declared.add_attribute(self.module, "cold");
        }
        declared
    }

    fn ty(&self, ty: Ty) -> Type {
        match ty {
            Ty::Void => self.module.void(),
            Ty::I32 => self.module.int(32),
            Ty::I64 => self.module.int(64),
            Ty::Ptr => self.module.ptr(),
        }
    }

    /// A global of the runtime; only its address and byte offsets are used.
    pub fn runtime_global(&self, name: &str) -> Value {
        self.module.global(name).unwrap_or_else(|| {
            let global = self.module.declare_global(name, self.module.int(8));
            match self.module.is_shared_code() {
                true => global.set_weak(),
                false => global.set_dso_local(),
            }
            global
        })
    }

    /// A segment program in the object file.
    pub fn program(&self, words: &[u32]) -> Value {
        let words = self.module.constant_words(words);
        let ty = self.module.structure(&[self.module.int(32), words.ty()]);
        let global = self.module.define_global("", ty, ty.zero());
        let base = self.module.distance(global, self.site_base);
        global.set_initializer(self.module.constant_struct(&[base, words]));
        global.set_constant();
        global.set_alignment(4);
        global
    }

    pub fn block(&self) -> Value {
        self.runtime_global(functions::BLOCK)
    }

    pub fn i32(&self, value: u64) -> Value {
        self.module.int_value(32, value)
    }

    pub fn i64(&self, value: u64) -> Value {
        self.module.int_value(64, value)
    }
}

/// The source-side name of a tracking body, also after LLVM specialised or split it.
pub fn original_name(body: &str) -> &str {
    body.split(SUFFIX).next().unwrap_or(body)
}

fn take_dispatch_table(module: Module) -> Vec<(Value, Value)> {
    let Some(table) = module.global(DISPATCH) else { return vec![] };
    let entries = table.initializer().operands();
    table.delete_global();
    entries.chunks(2).map(|pair| (pair[0], pair[1])).collect()
}
