//! Writes the unit's record and model into the object file.

use crate::ir::{Module, Value};
use crate::late::Late;
use rustc_hash::FxHasher;
use std::hash::Hasher;
use symcrete_abi::VERSION;
use symcrete_abi::unit::{SECTION_DETAILS, SECTION_MARKS, SECTION_MODEL, SECTION_MODELS, SECTION_SIDES, SECTION_UNITS};
use symcrete_program::details::Packed;

pub fn unit(late: Late, marks: (Value, u32), models: &[Value], code: &Packed) {
    let module = late.module;
    let (marks_array, mark_count) = marks;
    let mut unit = late.sites.unit;
    let paths = late.path.paths;
    unit.marks = mark_count;
    unit.numbers = unit.sites.len().max(paths.marks.len()) as u32;
    // The hash tells compilations apart, also of one file with other options.
    let mut hasher = FxHasher::default();
    hasher.write(&postcard::to_stdvec(&unit).unwrap_or_default());
    unit.hash = hasher.finish() | 1;
    let model = postcard::to_stdvec(&unit).unwrap_or_default();

    let model = piece(module, "__symcrete_unit_model", SECTION_MODEL, &model);
    let details = symcrete_program::details::pack(unit.hash, &Packed::new(&paths), code);
    let details = piece(module, "__symcrete_unit_details", SECTION_DETAILS, &details);

    marks_array.set_section(SECTION_MARKS);
    marks_array.set_alignment(1);
    late.sides.set_section(SECTION_SIDES);
    late.sides.set_alignment(1);

    let record = module.constant_struct(&[
        module.int_value(32, u64::from(VERSION)),
        module.int_value(32, u64::from(unit.numbers)),
        module.int_value(32, u64::from(mark_count)),
        module.int_value(32, unit.sides.len() as u64),
        module.int_value(64, unit.hash),
        late.site_base,
        marks_array,
        late.sides,
    ]);
    let record = module.define_global("__symcrete_unit", record.ty(), record);
    record.set_section(SECTION_UNITS);
    record.set_alignment(8);
    module.append_used(&[record, model, details, marks_array, late.sides]);

    if !models.is_empty() {
        let pairs = module.array(module.ptr(), models.len() as u64);
        let pairs = module.define_global("__symcrete_unit_models", pairs, pairs.zero());
        pairs.set_initializer_array(module, models);
        pairs.set_section(SECTION_MODELS);
        pairs.set_alignment(8);
        module.append_used(&[pairs]);
    }
}

/// Bytes behind their length in a section of ours.
fn piece(module: Module, name: &str, section: &str, content: &[u8]) -> Value {
    let mut bytes = (content.len() as u64).to_le_bytes().to_vec();
    bytes.extend_from_slice(content);
    bytes.resize(bytes.len().next_multiple_of(8), 0);
    let text = module.constant_bytes(&bytes);
    let global = module.define_global(name, text.ty(), text);
    global.set_constant();
    global.set_section(section);
    global.set_alignment(8);
    global
}
