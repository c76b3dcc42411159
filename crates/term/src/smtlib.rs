//! Terms as SMT-LIB 2 text, one definition per shared node, for query logs and for other solvers as
//! judges. Only standard operations are used: a float result is a fresh bit-vector tied to its
//! float by an assertion, so that a NaN may have any bits. What the theory lacks (`fmod`, libm) is left
//! unconstrained and said so in a comment: every input that makes the terms true makes the script true, and
//! [`Looseness`] says where the reverse may not hold. Never recurses over terms.

use crate::bits::mask;
use crate::op::Op;
use crate::store::{Term, TermId, Terms};
use crate::vars::Var;
use rustc_hash::FxHashSet;
use std::fmt::{self, Write};

/// How much more a script allows than the terms it was written from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Looseness {
    /// Operations without a counterpart in the theory, each once: their results are free.
    pub missing: Vec<&'static str>,
    /// Whether bits are made from floats: those of a NaN are free.
    pub nan_bits: bool,
}

impl Looseness {
    /// Whether the script is true for exactly the inputs that the terms are true for.
    pub fn is_none(&self) -> bool {
        self.missing.is_empty() && !self.nan_bits
    }
}

/// Writes a script that asks whether all conditions can hold together.
pub fn write_smtlib(out: &mut dyn Write, terms: &Terms, conditions: &[TermId]) -> Result<Looseness, fmt::Error> {
    let looseness = write_assertions(out, terms, conditions)?;
    writeln!(out, "(check-sat)")?;
    Ok(looseness)
}

/// The same without the question: logic, definitions, and one assertion for each condition.
pub fn write_assertions(out: &mut dyn Write, terms: &Terms, conditions: &[TermId]) -> Result<Looseness, fmt::Error> {
    let order = terms.reachable(conditions);
    let mut looseness = Looseness::default();
    let mut floats = false;
    for &id in &order {
        let Term::Apply(op, _) = terms.get(id) else { continue };
        floats |= op.is_float();
        match op {
            Op::Native { .. } | Op::FRem if !looseness.missing.contains(&op.name()) => {
                looseness.missing.push(op.name())
            }
            _ => looseness.nan_bits |= op.gives_float() && !matches!(op, Op::FMin | Op::FMax),
        }
    }
    writeln!(out, "(set-logic {})", if floats { "QF_BVFP" } else { "QF_BV" })?;
    let mut tables: FxHashSet<(TermId, u8)> = FxHashSet::default();
    for &id in &order {
        if let Term::Apply(Op::Read, args) = terms.get(id)
            && tables.insert((args[1], terms.width(args[0])))
        {
            define_table(out, terms, args[1], terms.width(args[0]))?;
        }
        define(out, terms, id)?;
    }
    for &condition in conditions {
        writeln!(out, "(assert (= {} #b1))", Name(terms, condition))?;
    }
    Ok(looseness)
}

/// What a variable is called in scripts.
pub fn smtlib_name(var: Var) -> String {
    match var {
        Var::Byte { object, offset } => format!("in{object}_{offset}"),
        Var::Length { object } => format!("length{object}"),
    }
}

/// How a term is referred to: constants in place, variables by their names, the rest by number.
struct Name<'a>(&'a Terms, TermId);

impl fmt::Display for Name<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.get(self.1) {
            Term::Constant(value) => literal(f, self.0.width(self.1), value),
            Term::Variable(_, var) => f.write_str(&smtlib_name(var)),
            Term::Apply(..) => write!(f, "t{}", self.1.index()),
        }
    }
}

fn literal(f: &mut dyn Write, width: u8, value: u128) -> fmt::Result {
    if width.is_multiple_of(4) {
        write!(f, "#x{value:0digits$x}", digits = width as usize / 4)
    } else {
        write!(f, "#b{value:0digits$b}", digits = width as usize)
    }
}

struct Literal(u8, u128);

impl fmt::Display for Literal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        literal(f, self.0, self.1 & mask(self.0))
    }
}

fn sort(width: u8) -> &'static str {
    if width == 32 { "8 24" } else { "11 53" }
}

fn define(out: &mut dyn Write, terms: &Terms, id: TermId) -> fmt::Result {
    let width = terms.width(id);
    let (op, args) = match terms.get(id) {
        Term::Constant(_) => return Ok(()),
        Term::Variable(..) => {
            return writeln!(out, "(declare-const {} (_ BitVec {width}))", Name(terms, id));
        }
        Term::Apply(op, args) => (op, args),
    };
    if let Op::Native { .. } | Op::FRem = op {
        writeln!(out, "(declare-const t{} (_ BitVec {width}))", id.index())?;
        return writeln!(out, "; t{} stands for {op}, which the theory lacks", id.index());
    }
    if op.gives_float() && !matches!(op, Op::FMin | Op::FMax) {
        writeln!(out, "(declare-const t{} (_ BitVec {width}))", id.index())?;
        write!(out, "(assert (= ((_ to_fp {}) t{}) ", sort(width), id.index())?;
        float_result(out, terms, op, width, args)?;
        return writeln!(out, "))");
    }
    write!(out, "(define-fun t{} () (_ BitVec {width}) ", id.index())?;
    body(out, terms, op, width, args)?;
    writeln!(out, ")")
}

fn body(out: &mut dyn Write, terms: &Terms, op: Op, width: u8, args: &[TermId]) -> fmt::Result {
    use Op::*;
    let a = Name(terms, args[0]);
    let b = Name(terms, args.get(1).copied().unwrap_or(args[0]));
    let from = terms.width(args[0]);
    let simple = |out: &mut dyn Write, name: &str| write!(out, "({name} {a} {b})");
    let predicate = |out: &mut dyn Write, name: &str| write!(out, "(ite ({name} {a} {b}) #b1 #b0)");
    match op {
        Add => simple(out, "bvadd"),
        Sub => simple(out, "bvsub"),
        Mul => simple(out, "bvmul"),
        UDiv => simple(out, "bvudiv"),
        SDiv => simple(out, "bvsdiv"),
        URem => simple(out, "bvurem"),
        SRem => simple(out, "bvsrem"),
        Shl => simple(out, "bvshl"),
        LShr => simple(out, "bvlshr"),
        AShr => simple(out, "bvashr"),
        And => simple(out, "bvand"),
        Or => simple(out, "bvor"),
        Xor => simple(out, "bvxor"),
        Concat => simple(out, "concat"),
        Eq => predicate(out, "="),
        Ne => predicate(out, "distinct"),
        Ult => predicate(out, "bvult"),
        Ule => predicate(out, "bvule"),
        Slt => predicate(out, "bvslt"),
        Sle => predicate(out, "bvsle"),
        ZExt => write!(out, "((_ zero_extend {}) {a})", width - from),
        SExt => write!(out, "((_ sign_extend {}) {a})", width - from),
        Extract { lo } => write!(out, "((_ extract {} {lo}) {a})", lo + width - 1),
        Select => write!(out, "(ite (= {a} #b1) {b} {})", Name(terms, args[2])),
        Read => write!(out, "({} {a})", TableName(args[1], from)),
        UAddO | SAddO | USubO | SSubO | UMulO | SMulO => overflow(out, op, from, &a, &b),
        Bswap => pieces(out, &a, (0..width / 8).map(|byte| (byte * 8 + 7, byte * 8))),
        BitReverse => pieces(out, &a, (0..width).map(|bit| (bit, bit))),
        Ctpop => popcount(out, &a, width),
        Ctlz => first_one(out, &a, width, (0..width).rev()),
        Cttz => first_one(out, &a, width, 0..width),
        _ => float_to_bits(out, terms, op, width, args),
    }
}

/// Concatenation of parts, the first one highest.
fn pieces(out: &mut dyn Write, a: &Name<'_>, parts: impl Iterator<Item = (u8, u8)>) -> fmt::Result {
    let parts: Vec<(u8, u8)> = parts.collect();
    if let [(hi, lo)] = parts[..] {
        return write!(out, "((_ extract {hi} {lo}) {a})");
    }
    write!(out, "(concat")?;
    for (hi, lo) in parts {
        write!(out, " ((_ extract {hi} {lo}) {a})")?;
    }
    write!(out, ")")
}

/// A table is a function of its index, one for each width of index.
struct TableName(TermId, u8);

impl fmt::Display for TableName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "table{}_{}", self.0.index(), self.1)
    }
}

/// The runs of equal entries, told apart by halving them.
fn define_table(out: &mut dyn Write, terms: &Terms, number: TermId, from: u8) -> fmt::Result {
    let table = terms.table(number);
    let runs: Vec<(usize, u64)> = table
        .runs()
        .map(|(range, value)| (range.start, value))
        .take_while(|&(start, _)| start as u128 <= mask(from))
        .collect();
    let name = TableName(number, from);
    write!(out, "(define-fun {name} ((i (_ BitVec {from}))) (_ BitVec {}) ", table.width())?;
    choose(out, &runs, table.width(), from)?;
    writeln!(out, ")")
}

/// As deep as the logarithm of the number of runs.
fn choose(out: &mut dyn Write, runs: &[(usize, u64)], width: u8, from: u8) -> fmt::Result {
    if let [(_, value)] = runs {
        return write!(out, "{}", Literal(width, *value as u128));
    }
    let (low, high) = runs.split_at(runs.len() / 2);
    write!(out, "(ite (bvult i {}) ", Literal(from, high[0].0 as u128))?;
    choose(out, low, width, from)?;
    write!(out, " ")?;
    choose(out, high, width, from)?;
    write!(out, ")")
}

fn popcount(out: &mut dyn Write, a: &Name<'_>, width: u8) -> fmt::Result {
    if width == 1 {
        return write!(out, "{a}");
    }
    write!(out, "(bvadd")?;
    for bit in 0..width {
        write!(out, " ((_ zero_extend {}) ((_ extract {bit} {bit}) {a}))", width - 1)?;
    }
    write!(out, ")")
}

/// The place of the first one in the order given, the width when there is none.
fn first_one(out: &mut dyn Write, a: &Name<'_>, width: u8, order: impl Iterator<Item = u8>) -> fmt::Result {
    for (count, bit) in order.enumerate() {
        write!(out, "(ite (= ((_ extract {bit} {bit}) {a}) #b1) {} ", Literal(width, count as u128))?;
    }
    write!(out, "{}", Literal(width, width as u128))?;
    (0..width).try_for_each(|_| write!(out, ")"))
}

/// Computed with room to spare and compared with what fits.
fn overflow(out: &mut dyn Write, op: Op, width: u8, a: &Name<'_>, b: &Name<'_>) -> fmt::Result {
    let (name, extension, more) = match op {
        Op::UAddO => ("bvadd", "zero_extend", 1),
        Op::USubO => return write!(out, "(ite (bvult {a} {b}) #b1 #b0)"),
        Op::UMulO => ("bvmul", "zero_extend", width),
        Op::SAddO => ("bvadd", "sign_extend", 1),
        Op::SSubO => ("bvsub", "sign_extend", 1),
        _ => ("bvmul", "sign_extend", width),
    };
    let result = format!("({name} ((_ {extension} {more}) {a}) ((_ {extension} {more}) {b}))");
    write!(out, "(ite (= ((_ {extension} {more}) ((_ extract {} 0) {result})) {result}) #b0 #b1)", width - 1)
}

fn as_float(terms: &Terms, id: TermId) -> String {
    format!("((_ to_fp {}) {})", sort(terms.width(id)), Name(terms, id))
}

/// A float-valued operation as an expression of float sort.
fn float_result(out: &mut dyn Write, terms: &Terms, op: Op, width: u8, args: &[TermId]) -> fmt::Result {
    use Op::*;
    let sort = sort(width);
    let rounding = |mode: &str| format!("fp.roundToIntegral {mode}");
    let name = match op {
        FAdd => "fp.add RNE".into(),
        FSub => "fp.sub RNE".into(),
        FMul => "fp.mul RNE".into(),
        FDiv => "fp.div RNE".into(),
        FSqrt => "fp.sqrt RNE".into(),
        FMa => "fp.fma RNE".into(),
        FFloor => rounding("RTN"),
        FCeil => rounding("RTP"),
        FRoundZero => rounding("RTZ"),
        FRint => rounding("RNE"),
        FRound => rounding("RNA"),
        SiToF => return write!(out, "((_ to_fp {sort}) RNE {})", Name(terms, args[0])),
        UiToF => return write!(out, "((_ to_fp_unsigned {sort}) RNE {})", Name(terms, args[0])),
        FExt | FTrunc => format!("(_ to_fp {sort}) RNE"),
        other => unreachable!("{other} has no float of its own"),
    };
    write!(out, "({name}")?;
    for &arg in args {
        write!(out, " {}", as_float(terms, arg))?;
    }
    write!(out, ")")
}

/// Operations from floats to bits. Conversions of values that do not fit have the machine's result.
fn float_to_bits(out: &mut dyn Write, terms: &Terms, op: Op, width: u8, args: &[TermId]) -> fmt::Result {
    use Op::*;
    let a = as_float(terms, args[0]);
    let b = as_float(terms, args.get(1).copied().unwrap_or(args[0]));
    let (bits_a, bits_b) = (Name(terms, args[0]), Name(terms, args.get(1).copied().unwrap_or(args[0])));
    match op {
        FOeq => write!(out, "(ite (fp.eq {a} {b}) #b1 #b0)"),
        FOlt => write!(out, "(ite (fp.lt {a} {b}) #b1 #b0)"),
        FOle => write!(out, "(ite (fp.leq {a} {b}) #b1 #b0)"),
        FUno => write!(out, "(ite (or (fp.isNaN {a}) (fp.isNaN {b})) #b1 #b0)"),
        FMin => write!(out, "(ite (or (fp.isNaN {a}) (fp.lt {b} {a})) {bits_b} {bits_a})"),
        FMax => write!(out, "(ite (or (fp.isNaN {a}) (fp.gt {b} {a})) {bits_b} {bits_a})"),
        FToSi => to_integer(out, &a, terms.width(args[0]), width, true),
        FToUi => to_integer(out, &a, terms.width(args[0]), width, false),
        other => unreachable!("{other} is not a float operation"),
    }
}

/// The register the machine converts to (32, 64 or the whole width), cut to the width asked for.
fn to_integer(out: &mut dyn Write, a: &str, from: u8, width: u8, is_signed: bool) -> fmt::Result {
    let register = match (is_signed, width) {
        (true, 1..=32) | (false, 1..=31) => 32,
        (true, 33..=64) | (false, 32..=63) => 64,
        (false, 64) => 64,
        _ => 128,
    };
    let cut = |inner: String| match register == width {
        true => inner,
        false => format!("((_ extract {} 0) {inner})", width - 1),
    };
    let power = |exponent: u32, negative: bool| {
        let value = if negative { -(2f64.powi(exponent as i32)) } else { 2f64.powi(exponent as i32) };
        let bits = if from == 32 { (value as f32).to_bits() as u128 } else { value.to_bits() as u128 };
        format!("((_ to_fp {}) {})", sort(from), Literal(from, bits))
    };
    if is_signed || width < 64 {
        let whole = format!("(fp.roundToIntegral RTZ {a})");
        let exponent = register as u32 - 1;
        let fits =
            format!("(and (fp.leq {} {whole}) (fp.lt {whole} {}))", power(exponent, true), power(exponent, false));
        let outside = match register > 64 {
            // Wider than a register: the library routine saturates.
            true => format!(
                "(ite (fp.isNaN {a}) {} (ite (fp.isNegative {a}) {} {}))",
                Literal(register, 0),
                Literal(register, 1 << (register - 1)),
                Literal(register, mask(register) >> 1)
            ),
            false => Literal(register, 1 << (register - 1)).to_string(),
        };
        return write!(out, "{}", cut(format!("(ite {fits} ((_ fp.to_sbv {register}) RTZ {a}) {outside})")));
    }
    let fits = |exponent: u32, x: &str| {
        format!("(and (fp.leq {} {x}) (fp.lt {x} {}))", power(exponent, true), power(exponent, false))
    };
    if width == 64 {
        // Two signed conversions, the second of the value less 2^63, as compilers emit it.
        let less = format!("(fp.sub RNE {a} {})", power(63, false));
        let once = |x: &str| format!("(ite {} ((_ fp.to_sbv 64) RTZ {x}) {})", fits(63, x), Literal(64, 1 << 63));
        let (low, high) = (once(a), once(&less));
        return write!(
            out,
            "(let ((low {low}) (high {high})) (bvor low (bvand high (bvashr low {}))))",
            Literal(64, 63)
        );
    }
    // 2^128 is no float of 32 bits: there everything finite fits.
    let limit = if from == 32 { None } else { Some(power(128, false)) };
    let positive = format!("(and (not (fp.isNaN {a})) (fp.isPositive {a}))");
    let fits = match limit {
        Some(limit) => format!("(and {positive} (fp.lt {a} {limit}))"),
        None => format!("(and {positive} (not (fp.isInfinite {a})))"),
    };
    let whole = format!(
        "(ite {fits} ((_ fp.to_ubv 128) RTZ {a}) (ite {positive} {} {}))",
        Literal(128, u128::MAX),
        Literal(128, 0)
    );
    write!(out, "{}", cut(whole))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shared_parts_are_defined_once() {
        let mut t = Terms::plain();
        let x = t.var(Var::Byte { object: 0, offset: 3 });
        let five = t.constant(8, 5);
        let sum = t.add(x, five);
        let square = t.mul(sum, sum);
        let condition = t.ult(square, five);
        let mut text = String::new();
        write_smtlib(&mut text, &t, &[condition]).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(
            lines,
            [
                "(set-logic QF_BV)",
                "(declare-const in0_3 (_ BitVec 8))",
                "(define-fun t4 () (_ BitVec 8) (bvadd in0_3 #x05))",
                "(define-fun t5 () (_ BitVec 8) (bvmul t4 t4))",
                "(define-fun t6 () (_ BitVec 1) (ite (bvult t5 #x05) #b1 #b0))",
                "(assert (= t6 #b1))",
                "(check-sat)",
            ]
        );
    }

    #[test]
    fn floats_are_tied_to_their_bits() {
        let mut t = Terms::plain();
        let bytes: Vec<TermId> = (0..4).map(|offset| t.var(Var::Byte { object: 0, offset })).collect();
        let x = t.word(&bytes);
        let twice = t.apply(Op::FAdd, 32, &[x, x]);
        let less = t.apply(Op::FOlt, 1, &[twice, x]);
        let mut text = String::new();
        write_smtlib(&mut text, &t, &[less]).unwrap();
        let name = format!("t{}", twice.index());
        assert!(text.starts_with("(set-logic QF_BVFP)"));
        assert!(text.contains(&format!("(declare-const {name} (_ BitVec 32))")));
        let word = format!("((_ to_fp 8 24) t{})", x.index());
        assert!(text.contains(&format!("(assert (= ((_ to_fp 8 24) {name}) (fp.add RNE {word} {word})))")));
    }

    #[test]
    fn what_the_theory_lacks_is_said_once() {
        let mut t = Terms::plain();
        let bytes: Vec<TermId> = (0..8).map(|offset| t.var(Var::Byte { object: 0, offset })).collect();
        let x = t.word(&bytes);
        let sine = Op::Native { function: crate::native::number("sin").unwrap() };
        let once = t.apply(sine, 64, &[x]);
        let twice = t.apply(sine, 64, &[once]);
        let goal = t.apply(Op::FOlt, 1, &[twice, x]);
        let mut text = String::new();
        let loose = write_smtlib(&mut text, &t, &[goal]).unwrap();
        assert_eq!(loose.missing, ["sin"]);
        assert_eq!(text.matches("stands for sin").count(), 2);
        let plain = t.apply(Op::FOlt, 1, &[x, x]);
        assert!(write_smtlib(&mut String::new(), &t, &[plain]).unwrap().is_none());
    }
}
