//! One node as a term: the only place where the runtime's operations and the engine's meet.

use crate::import::ImportError;
use crate::input::Input;
use crate::tables::Tables;
use crate::trace::Trace;
use symcrete_abi::layout::Node;
use symcrete_abi::{Label, Op};
use symcrete_term::{Op as TermOp, TermId, Terms, Var, compute};

/// The recorded value, without bits that its width does not have.
pub fn value_of(node: &Node) -> u128 {
    let value = node.value[0] as u128 | (node.value[1] as u128) << 64;
    match node.width {
        1..=127 => value & ((1 << node.width) - 1),
        _ => value,
    }
}

/// The term of one node over the terms of older ones (`known`, by label) and the tables of its trace.
pub(crate) fn term_of(
    node: &Node,
    label: Label,
    known: &[TermId],
    tables: &mut Tables,
    trace: &Trace<'_>,
    terms: &mut Terms,
) -> Result<TermId, ImportError> {
    let op = Op::from_u8(node.op).ok_or(ImportError::Operation { label, op: node.op })?;
    let width = match u8::try_from(node.width) {
        Ok(width @ 1..=128) => width,
        _ => return Err(ImportError::Width { label, width: node.width }),
    };
    let mut args = [TermId::FALSE; 3];
    let arity = op.operands();
    for (slot, operand) in args.iter_mut().zip([node.a, node.b, node.c]).take(arity) {
        if operand == 0 || operand >= label {
            return Err(ImportError::Operand { label, op, operand });
        }
        *slot = *known.get(operand as usize).ok_or(ImportError::Operand { label, op, operand })?;
    }
    let fits = |want: u8| if width == want { Ok(()) } else { Err(ImportError::Width { label, width: node.width }) };
    match op {
        Op::Const => return Ok(terms.constant(width, value_of(node))),
        Op::Input => {
            fits(8)?;
            return Ok(terms.var(Var::Byte { object: node.a, offset: node.b }));
        }
        Op::Length => {
            fits(64)?;
            return Ok(terms.var(Var::Length { object: node.a }));
        }
        Op::Table => {
            let table = tables.term(node.b, trace, terms).ok_or(ImportError::Table { label, word: node.b })?;
            fits(terms.table(table).width())?;
            let index = terms.width(args[0]);
            TermOp::Read.check(width, &[index, 32]).map_err(|error| ImportError::Malformed { label, op, error })?;
            return Ok(terms.read_numbered(args[0], table));
        }
        _ => {}
    }
    operation(node, label, op, &args[..arity], trace, terms)
}

/// The term of a node that computes something, over any terms for its operands.
pub fn operation(
    node: &Node,
    label: Label,
    op: Op,
    args: &[TermId],
    trace: &Trace<'_>,
    terms: &mut Terms,
) -> Result<TermId, ImportError> {
    let width = u8::try_from(node.width).map_err(|_| ImportError::Width { label, width: node.width })?;
    let malformed = |error| ImportError::Malformed { label, op, error };
    if matches!(op, Op::FshL | Op::FshR) {
        // Built from shifts; the widths are those of an addition.
        for pair in [[args[0], args[1]], [args[0], args[2]]] {
            let widths = [terms.width(pair[0]), terms.width(pair[1])];
            TermOp::Add.check(width, &widths).map_err(malformed)?;
        }
        return Ok(match op {
            Op::FshL => terms.funnel_left(args[0], args[1], args[2]),
            _ => terms.funnel_right(args[0], args[1], args[2]),
        });
    }
    let low = number_of(op, node);
    let from = args.first().map_or(0, |first| terms.width(*first));
    let recorded = |operand| trace.node(operand).map_or(0, |node| value_of(&node));
    let op = by_sign(op, from, || [recorded(node.a), recorded(node.b)]);
    match term_op(op, low, from, width) {
        // A conversion between floats of one width is the identity.
        None => Ok(args[0]),
        Some(op) => terms.try_apply(op, width, args).map_err(malformed),
    }
}

/// A comparison of operands known to have the same sign says more by itself when it is taken as a signed one: `n - 6 > 3`
/// is a bound of `n` then, and otherwise four values that `n` does not have. Where the signs differ nobody uses the
/// result, and it is what the machine computed.
fn by_sign(op: Op, width: u8, values: impl FnOnce() -> [u128; 2]) -> Op {
    let (unsigned, signed) = match op {
        Op::UltSame => (Op::Ult, Op::Slt),
        Op::UleSame => (Op::Ule, Op::Sle),
        _ => return op,
    };
    let [a, b] = values();
    if (a ^ b) >> width.saturating_sub(1) & 1 == 0 { signed } else { unsigned }
}

/// The operand that is a number and not a label, for operations that have one.
fn number_of(op: Op, node: &Node) -> u8 {
    let number = match op {
        Op::Extract | Op::Native1 => node.b,
        Op::Native2 => node.c,
        _ => 0,
    };
    u8::try_from(number).unwrap_or(u8::MAX)
}

/// The operation on terms; `low` is the first bit of an extract or the number of a function; `None` for one that changes nothing.
fn term_op(op: Op, low: u8, from: u8, width: u8) -> Option<TermOp> {
    Some(match op {
        Op::Add => TermOp::Add,
        Op::Sub => TermOp::Sub,
        Op::Mul => TermOp::Mul,
        Op::UDiv => TermOp::UDiv,
        Op::SDiv => TermOp::SDiv,
        Op::URem => TermOp::URem,
        Op::SRem => TermOp::SRem,
        Op::Shl => TermOp::Shl,
        Op::LShr => TermOp::LShr,
        Op::AShr => TermOp::AShr,
        Op::And => TermOp::And,
        Op::Or => TermOp::Or,
        Op::Xor => TermOp::Xor,
        Op::Eq => TermOp::Eq,
        Op::Ne => TermOp::Ne,
        Op::Ult | Op::UltSame => TermOp::Ult,
        Op::Ule | Op::UleSame => TermOp::Ule,
        Op::Slt => TermOp::Slt,
        Op::Sle => TermOp::Sle,
        Op::UAddO => TermOp::UAddO,
        Op::SAddO => TermOp::SAddO,
        Op::USubO => TermOp::USubO,
        Op::SSubO => TermOp::SSubO,
        Op::UMulO => TermOp::UMulO,
        Op::SMulO => TermOp::SMulO,
        Op::ZExt => TermOp::ZExt,
        Op::SExt => TermOp::SExt,
        Op::Extract => TermOp::Extract { lo: low },
        Op::Concat => TermOp::Concat,
        Op::Select => TermOp::Select,
        Op::Bswap => TermOp::Bswap,
        Op::BitReverse => TermOp::BitReverse,
        Op::Ctpop => TermOp::Ctpop,
        Op::Ctlz => TermOp::Ctlz,
        Op::Cttz => TermOp::Cttz,
        Op::FAdd => TermOp::FAdd,
        Op::FSub => TermOp::FSub,
        Op::FMul => TermOp::FMul,
        Op::FDiv => TermOp::FDiv,
        Op::FRem => TermOp::FRem,
        Op::FSqrt => TermOp::FSqrt,
        Op::FMa => TermOp::FMa,
        Op::FMin => TermOp::FMin,
        Op::FMax => TermOp::FMax,
        Op::FFloor => TermOp::FFloor,
        Op::FCeil => TermOp::FCeil,
        Op::FTrunc => TermOp::FRoundZero,
        Op::FRint => TermOp::FRint,
        Op::FRound => TermOp::FRound,
        Op::FOeq => TermOp::FOeq,
        Op::FOlt => TermOp::FOlt,
        Op::FOle => TermOp::FOle,
        Op::FUno => TermOp::FUno,
        Op::FToSi => TermOp::FToSi,
        Op::FToUi => TermOp::FToUi,
        Op::SiToF => TermOp::SiToF,
        Op::UiToF => TermOp::UiToF,
        Op::FToF if from == width => return None,
        Op::FToF if from < width => TermOp::FExt,
        Op::FToF => TermOp::FTrunc,
        Op::Native1 | Op::Native2 => TermOp::Native { function: low },
        // Handled before; anything here is refused by the width check of an operation without operands.
        Op::Const | Op::Input | Op::Length | Op::FshL | Op::FshR | Op::Table => return None,
    })
}

/// The value of one node, computed from the recorded values of its operands and the input: no terms, so
/// fast enough for every node of every trace.
pub(crate) fn recompute(node: &Node, label: Label, trace: &Trace<'_>, input: &Input) -> Result<u128, ImportError> {
    let op = Op::from_u8(node.op).ok_or(ImportError::Operation { label, op: node.op })?;
    let width = match u8::try_from(node.width) {
        Ok(width @ 1..=128) => width,
        _ => return Err(ImportError::Width { label, width: node.width }),
    };
    let arity = op.operands();
    let (mut widths, mut values) = ([0u8; 3], [0u128; 3]);
    for (slot, operand) in [node.a, node.b, node.c].into_iter().take(arity).enumerate() {
        let older = if operand < label { trace.node(operand) } else { None };
        let older = older.ok_or(ImportError::Operand { label, op, operand })?;
        widths[slot] = u8::try_from(older.width).unwrap_or(0);
        values[slot] = value_of(&older);
    }
    let malformed = |error| ImportError::Malformed { label, op, error };
    let expected = |want: u8| if width == want { Ok(()) } else { Err(ImportError::Width { label, width: node.width }) };
    match op {
        Op::Const => return Ok(value_of(node)),
        Op::Input => return expected(8).map(|_| input.value(Var::Byte { object: node.a, offset: node.b })),
        Op::Length => return expected(64).map(|_| input.value(Var::Length { object: node.a })),
        Op::Table => {
            let table = trace.table(node.b).ok_or(ImportError::Table { label, word: node.b })?;
            expected(table.width())?;
            TermOp::Read.check(width, &[widths[0], 32]).map_err(malformed)?;
            return Ok(trace.table_entry(&table, values[0]) as u128);
        }
        Op::FshL | Op::FshR => {
            TermOp::Add.check(width, &widths[..2]).map_err(malformed)?;
            TermOp::Add.check(width, &widths[1..]).map_err(malformed)?;
            return Ok(funnel(op, width, values));
        }
        _ => {}
    }
    let low = number_of(op, node);
    match term_op(by_sign(op, widths[0], || [values[0], values[1]]), low, widths[0], width) {
        None => Ok(values[0]),
        Some(op) => {
            op.check(width, &widths[..arity]).map_err(malformed)?;
            Ok(compute(op, width, widths[0], values[0], values[1], values[2]))
        }
    }
}

/// Two values side by side, shifted; the upper half of a left shift, the lower half of a right shift.
fn funnel(op: Op, width: u8, [high, low, amount]: [u128; 3]) -> u128 {
    let bits = width as u32;
    let amount = (amount % bits as u128) as u32;
    let mask = u128::MAX >> (128 - bits);
    match (op, amount) {
        (Op::FshL, 0) => high,
        (_, 0) => low,
        (Op::FshL, n) => (high << n | low >> (bits - n)) & mask,
        (_, n) => (low >> n | high << (bits - n)) & mask,
    }
}

#[cfg(test)]
mod tests {
    use symcrete_abi::native::{NATIVES, Scalar};
    use symcrete_term::Op as TermOp;

    /// The two sides must mean the same function by the same number.
    #[test]
    fn functions_have_one_number_each() {
        assert_eq!(NATIVES.len(), symcrete_term::native::COUNT);
        for (number, native) in NATIVES.iter().enumerate() {
            let op = TermOp::Native { function: number as u8 };
            let widths: Vec<u8> = native.operands.iter().map(|operand| operand.width() as u8).collect();
            assert_eq!(op.name(), native.name);
            assert_eq!(op.check(native.result.width() as u8, &widths), Ok(()), "{}", native.name);
            assert_eq!(op.gives_float(), native.result != Scalar::I, "{}", native.name);
        }
    }
}
