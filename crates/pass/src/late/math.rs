//! Functions of the mathematical library: which calls are functions of their operands and nothing else, and what their
//! labels are. Some are operations that traces know anyway; the others stay in traces by their number.

use crate::ir::{Type, TypeKind, Value};
use crate::late::labels::{Operand, Slot, Slow};
use symcrete_abi::Op;
use symcrete_abi::native::{self, Scalar};

/// What LLVM has intrinsics for, under the names of the C library.
const OPERATIONS: &[&str] = &[
    "ceil",
    "copysign",
    "fabs",
    "floor",
    "fma",
    "fmax",
    "fmin",
    "fmod",
    "nearbyint",
    "rint",
    "round",
    "roundeven",
    "sqrt",
    "trunc",
];
/// Rounding to integers of 64 bits.
const TO_INTEGER: &[&str] = &["llrint", "llround", "lrint", "lround"];

/// Whether a call is one of the library's functions that are followed: declared, and with the library's own signature.
pub fn is_math(call: Value) -> bool {
    let Some(callee) = call.called_function().filter(|callee| callee.is_declaration()) else { return false };
    let ty = callee.function_type();
    let parameters: Vec<Type> = callee.parameters().into_iter().map(|parameter| parameter.ty()).collect();
    // Most calls of a program end here, before names are looked at.
    if ty.is_variadic() || !parameters.iter().any(|ty| is_float(*ty)) || parameters.len() > 3 {
        return false;
    }
    let (name, result) = (callee.name(), call.ty());
    if let Some(native) = native::number(&name).and_then(|number| native::native(u32::from(number))) {
        return is_scalar(result, native.result)
            && parameters.len() == native.operands.len()
            && parameters.iter().zip(native.operands).all(|(ty, scalar)| is_scalar(*ty, *scalar));
    }
    let single = parameters[0].kind() == TypeKind::LLVMFloatTypeKind;
    let stem = stem(&name, single);
    let alike = parameters.iter().all(|ty| ty.kind() == parameters[0].kind());
    if TO_INTEGER.contains(&stem) {
        let is_long = result.kind() == TypeKind::LLVMIntegerTypeKind && result.int_width() == 64;
        return alike && parameters.len() == 1 && is_long;
    }
    let operands = match stem {
        "fma" => 3,
        "copysign" | "fmax" | "fmin" | "fmod" => 2,
        _ => 1,
    };
    OPERATIONS.contains(&stem) && alike && parameters.len() == operands && result.kind() == parameters[0].kind()
}

fn is_float(ty: Type) -> bool {
    matches!(ty.kind(), TypeKind::LLVMFloatTypeKind | TypeKind::LLVMDoubleTypeKind)
}

fn is_scalar(ty: Type, scalar: Scalar) -> bool {
    match scalar {
        Scalar::D => ty.kind() == TypeKind::LLVMDoubleTypeKind,
        Scalar::F => ty.kind() == TypeKind::LLVMFloatTypeKind,
        Scalar::I => ty.kind() == TypeKind::LLVMIntegerTypeKind && ty.int_width() == 32,
    }
}

/// The name of the function for doubles.
fn stem(name: &str, single: bool) -> &str {
    if single { name.strip_suffix('f').unwrap_or("") } else { name }
}

impl Slow<'_, '_> {
    /// The label of a call of a library function, as [`is_math`] knows them.
    pub fn math(&mut self, name: &str, o: &[Operand], result: Value) -> Option<Slot> {
        if let Some(number) = native::number(name) {
            return Some(self.native(number, o, result));
        }
        let stem = stem(name, self.width(o[0].value) == 32);
        match stem {
            _ if TO_INTEGER.contains(&stem) => self.nearest_integer(stem, o[0], result),
            "fmod" => Some(self.binary(Op::FRem, self.width(result), o[0], o[1], result)),
            "fmin" => self.pure_float("minnum", o, result),
            "fmax" => self.pure_float("maxnum", o, result),
            _ => self.pure_float(stem, o, result),
        }
    }

    /// An intrinsic that stands for a function of the library.
    pub fn math_intrinsic(&mut self, stem: &str, o: &[Operand], result: Value) -> Option<Slot> {
        let name = if self.width(result) == 32 { format!("{stem}f") } else { stem.to_string() };
        let number = native::number(&name)?;
        let native = native::native(u32::from(number))?;
        let fits = o.len() == native.operands.len()
            && o.iter().zip(native.operands).all(|(operand, scalar)| is_scalar(operand.value.ty(), *scalar));
        fits.then(|| self.native(number, o, result))
    }

    /// `lround`, `lrint`: rounded as a float, then converted.
    pub fn nearest_integer(&mut self, stem: &str, a: Operand, result: Value) -> Option<Slot> {
        let width = self.width(a.value);
        let (op, intrinsic) = if stem.ends_with("round") { (Op::FRound, "round") } else { (Op::FRint, "rint") };
        let module = self.tracker.late.module;
        let ty = a.value.ty();
        let function = module.declare_function(&format!("llvm.{intrinsic}.f{width}"), Type::function(ty, &[ty]));
        let rounded = self.builder.call(function, &[a.value]);
        let whole = Operand { label: self.unary(op, width, width, a, rounded), value: rounded };
        Some(self.integer_of(Op::FToSi, width, self.width(result), whole, result))
    }

    /// `is.fpclass`: classes of floats are ranges of their bits.
    pub fn is_class(&mut self, o: &[Operand], result: Value) -> Option<Slot> {
        let width = self.width(o[0].value);
        let classes = o[1].value.constant_value()?;
        let module = self.tracker.late.module;
        let (sign, infinity, quiet) = match width {
            32 => (1u64 << 31, 0x7f80_0000, 1u64 << 22),
            64 => (1 << 63, 0x7ff0_0000_0000_0000, 1 << 51),
            _ => return None,
        };
        let hidden = quiet << 1;
        // In the order of the bits as a natural number; each with its bit in the mask, for either sign.
        let parts =
            [(0, 6, 5), (1, 7, 4), (hidden, 8, 3), (infinity, 9, 2), (infinity + 1, 0, 0), (infinity | quiet, 1, 1)];
        let mut ranges: Vec<(u64, u64)> = vec![];
        for (offset, negative) in [(0, false), (sign, true)] {
            for (at, &(low, plus, minus)) in parts.iter().enumerate() {
                if classes >> if negative { minus } else { plus } & 1 == 0 {
                    continue;
                }
                let high = parts.get(at + 1).map_or(sign - 1, |next| next.0 - 1);
                match ranges.last_mut() {
                    Some((_, end)) if *end + 1 == offset + low => *end = offset + high,
                    _ => ranges.push((offset + low, offset + high)),
                }
            }
        }
        let bits = Operand { value: self.builder.bits(o[0].value, width), ..o[0] };
        let mut all: Option<Operand> = None;
        for (low, high) in ranges {
            let shifted = self.builder.sub(bits.value, module.int_value(width, low));
            let from = self.constant(width, low);
            let shifted = Operand { label: self.binary(Op::Sub, width, bits, from, shifted), value: shifted };
            let last = self.constant(width, high - low);
            let inside = self.builder.icmp(crate::ir::IntPredicate::LLVMIntULE, shifted.value, last.value);
            let inside = Operand { label: self.binary(Op::Ule, width, shifted, last, inside), value: inside };
            all = Some(match all {
                None => inside,
                Some(before) => {
                    let value = self.builder.or(before.value, inside.value);
                    Operand { label: self.binary(Op::Or, 1, before, inside, value), value }
                }
            });
        }
        let _ = result;
        Some(all.map_or(Slot::None, |all| all.label))
    }
}
