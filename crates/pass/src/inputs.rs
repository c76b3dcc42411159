//! `--input-function`: the named functions lose their bodies, and ask for input instead.
//!
//! What they ask for is decided elsewhere and written in C: here a body becomes one call of that stand-in, with
//! the place of the result and, where the function fills a buffer, the buffer and its size. It runs before
//! everything else, in tracked and in plain builds alike, so that all of them mean the same program. A function
//! that is not named is not touched.

use crate::ir::{Builder, Module, Type, TypeKind, Value, append_block};
use llvm_sys::LLVMLinkage as L;

/// `NAME=STAND_IN` or `NAME=STAND_IN@BUFFER,SIZE` (parameters by number), with `;` between them.
const ENV_INPUTS: &str = "SYMCRETE_INPUTS";
/// Set where nothing is to be tracked.
const ENV_PLAIN: &str = "SYMCRETE_PLAIN";

pub fn is_plain() -> bool {
    std::env::var_os(ENV_PLAIN).is_some()
}

struct Replaced {
    name: String,
    stand_in: String,
    buffer: Option<(usize, usize)>,
}

pub fn replace(module: Module) {
    let Ok(text) = std::env::var(ENV_INPUTS) else { return };
    let wanted: Vec<Replaced> = text.split(';').filter_map(parse).collect();
    for function in module.functions() {
        if function.is_declaration() || function.linkage() == L::LLVMAvailableExternallyLinkage {
            continue;
        }
        let (name, source) = (function.name(), function.source_name());
        if let Some(replaced) = wanted.iter().find(|r| r.name == name || r.name == source) {
            ask(module, function, replaced);
        }
    }
}

fn parse(text: &str) -> Option<Replaced> {
    let (name, rest) = text.split_once('=')?;
    let (stand_in, buffer) = match rest.split_once('@') {
        None => (rest, None),
        Some((stand_in, places)) => {
            let (buffer, size) = places.split_once(',')?;
            (stand_in, Some((buffer.parse().ok()?, size.parse().ok()?)))
        }
    };
    Some(Replaced { name: name.into(), stand_in: stand_in.into(), buffer })
}

/// Gives the function its new body.
fn ask(module: Module, function: Value, replaced: &Replaced) {
    let hidden = usize::from(function.returns_through_parameter());
    let parameters = function.parameters();
    function.empty_body();
    function.strip_promises();
    let (ptr, long) = (module.ptr(), module.int(64));
    let stand_in = module.declare_function(&replaced.stand_in, Type::function(module.void(), &[ptr, ptr, long]));
    let builder = Builder::at_end(module, append_block(module, function));
    let result = function.function_type().result();
    let returns = result.kind() != TypeKind::LLVMVoidTypeKind;
    let place = match (returns, hidden) {
        (true, _) => builder.local(result),
        (false, 1) => parameters[0],
        _ => ptr.zero(),
    };
    let buffer = replaced.buffer.and_then(|(buffer, size)| {
        let (buffer, size) = (*parameters.get(buffer + hidden)?, *parameters.get(size + hidden)?);
        let fits =
            buffer.ty().kind() == TypeKind::LLVMPointerTypeKind && size.ty().kind() == TypeKind::LLVMIntegerTypeKind;
        fits.then_some((buffer, size))
    });
    let (buffer, size) = match buffer {
        Some((buffer, size)) if size.ty().int_width() < 64 => (buffer, builder.sext(size, long)),
        Some((buffer, size)) => (buffer, size),
        None => (ptr.zero(), module.int_value(64, 0)),
    };
    let call = builder.call(stand_in, &[place, buffer, size]);
    call.set_artificial_location(module, function);
    let narrow = result.kind() == TypeKind::LLVMIntegerTypeKind && !result.int_width().is_multiple_of(8);
    let value = returns.then(|| match narrow {
        // In memory a truth value is a whole byte.
        true => {
            let whole = module.int(result.int_width().next_multiple_of(8));
            builder.trunc(builder.load(whole, place, 1), result)
        }
        false => builder.load(result, place, 1),
    });
    builder.ret(value);
}
