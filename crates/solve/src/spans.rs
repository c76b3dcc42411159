//! Floats between two bounds: where the result of an operation lies when its operands lie between theirs, and where an
//! operand must lie when the result does. Operations that round never turn the order around, so the ends decide, with the
//! evaluator's own definition of the operation. Never leaves out a value that is possible; may leave in others. No terms
//! here.

use symcrete_term::{Op, compute, native};

use crate::float_sets::{at, infinity, is_nan, place};

/// Units in the last place by which a function of the mathematical library may be off, or go down where it should go up:
/// four times what the machine's library admits to.
const SLACK: i128 = 16;

/// Floats of one width, by their place in order (both zeros are 0).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Span {
    pub(crate) width: u8,
    pub(crate) low: i128,
    pub(crate) high: i128,
    /// A NaN is among them.
    pub(crate) nan: bool,
}

impl Span {
    pub(crate) fn full(width: u8) -> Span {
        Span { width, low: -infinity(width), high: infinity(width), nan: true }
    }

    pub(crate) fn point(width: u8, bits: u128) -> Span {
        if is_nan(width, bits) {
            return Span { low: 1, high: 0, ..Span::full(width) };
        }
        let at = place(width, bits);
        Span { width, low: at, high: at, nan: false }
    }

    /// The numbers from one to another, of either width.
    fn numbers(width: u8, low: f64, high: f64, nan: bool) -> Span {
        let of = |value: f64| match width {
            32 => place(32, u128::from((value as f32).to_bits())),
            _ => place(64, u128::from(value.to_bits())),
        };
        Span { width, low: of(low), high: of(high), nan }
    }

    pub(crate) fn has_numbers(&self) -> bool {
        self.low <= self.high
    }

    pub(crate) fn is_empty(&self) -> bool {
        !self.has_numbers() && !self.nan
    }

    /// Bit patterns there are, NaNs apart.
    pub(crate) fn count(&self) -> u128 {
        if !self.has_numbers() {
            return 0;
        }
        (self.high - self.low) as u128 + 1 + u128::from(self.holds_zero())
    }

    /// Bit patterns, NaNs apart.
    pub(crate) fn values(self) -> impl Iterator<Item = u128> {
        let zero = at(self.width, 0);
        let sign = symcrete_term::bits::signed_min(self.width);
        (self.low..=self.high).map(move |place| at(self.width, place)).chain(self.holds_zero().then_some(zero | sign))
    }

    pub(crate) fn holds_zero(&self) -> bool {
        self.low <= 0 && self.high >= 0
    }

    fn may_be_infinite(&self) -> bool {
        let end = infinity(self.width);
        self.has_numbers() && (self.low == -end || self.high == end)
    }

    /// What both hold; whether that is less than this one held.
    pub(crate) fn narrow(&mut self, other: Span) -> bool {
        let before = *self;
        self.low = self.low.max(other.low);
        self.high = self.high.min(other.high);
        self.nan &= other.nan;
        *self != before
    }

    pub(crate) fn and(mut self, other: Span) -> Span {
        self.narrow(other);
        self
    }

    pub(crate) fn without_nan(self) -> Span {
        Span { nan: false, ..self }
    }

    pub(crate) fn negated(self) -> Span {
        Span { low: -self.high, high: -self.low, ..self }
    }

    pub(crate) fn magnitude(self) -> Span {
        if !self.has_numbers() {
            return self;
        }
        let low = if self.holds_zero() { 0 } else { self.low.abs().min(self.high.abs()) };
        Span { low, high: self.low.abs().max(self.high.abs()), ..self }
    }

    /// What either holds.
    pub(crate) fn or(self, other: Span) -> Span {
        let nan = self.nan || other.nan;
        match (self.has_numbers(), other.has_numbers()) {
            (false, _) => Span { nan, ..other },
            (_, false) => Span { nan, ..self },
            _ => Span { low: self.low.min(other.low), high: self.high.max(other.high), nan, ..self },
        }
    }

    /// Of what a magnitude is this.
    pub(crate) fn before_magnitude(self) -> Span {
        Span { low: -self.high, ..self }
    }

    fn widened(self, by: i128) -> Span {
        let end = infinity(self.width);
        Span { low: (self.low - by).max(-end), high: (self.high + by).min(end), ..self }
    }

    /// Around the results for all these operands, none of which may give a NaN.
    fn around(width: u8, results: impl IntoIterator<Item = i128>, nan: bool) -> Span {
        let (mut low, mut high) = (infinity(width) + 1, -infinity(width) - 1);
        for result in results {
            (low, high) = (low.min(result), high.max(result));
        }
        Span { width, low, high, nan }
    }
}

fn is_rounding(op: Op) -> bool {
    matches!(op, Op::FFloor | Op::FCeil | Op::FRoundZero | Op::FRint | Op::FRound | Op::FExt | Op::FTrunc)
}

/// Where the result lies; operands that an operation does not have are ignored.
pub(crate) fn forward(op: Op, width: u8, a: Span, b: Span) -> Span {
    let full = Span::full(width);
    let value = |x: i128, y: i128| place(width, compute(op, width, a.width, at(a.width, x), at(b.width, y), 0));
    let nothing = |operands: &[Span]| operands.iter().any(|span| !span.has_numbers());
    match op {
        Op::FAdd | Op::FSub | Op::FMul | Op::FDiv if nothing(&[a, b]) => Span { low: 1, high: 0, ..full },
        Op::FAdd | Op::FSub => {
            let b_ends = if op == Op::FAdd { (b.low, b.high) } else { (b.high, b.low) };
            if a.may_be_infinite() && b.may_be_infinite() {
                return full;
            }
            Span { width, low: value(a.low, b_ends.0), high: value(a.high, b_ends.1), nan: a.nan || b.nan }
        }
        Op::FMul | Op::FDiv => {
            let risky = match op {
                Op::FMul => a.may_be_infinite() && b.holds_zero() || b.may_be_infinite() && a.holds_zero(),
                _ => b.holds_zero() || a.may_be_infinite() && b.may_be_infinite(),
            };
            if risky {
                return full;
            }
            let corners = [(a.low, b.low), (a.low, b.high), (a.high, b.low), (a.high, b.high)];
            Span::around(width, corners.map(|(x, y)| value(x, y)), a.nan || b.nan)
        }
        Op::FSqrt => {
            let negative = a.has_numbers() && a.low < 0;
            if a.high < 0 || !a.has_numbers() {
                return Span { low: 1, high: 0, ..full };
            }
            Span { width, low: value(a.low.max(0), 0), high: value(a.high, 0), nan: a.nan || negative }
        }
        op if is_rounding(op) => {
            if !a.has_numbers() {
                return Span { low: 1, high: 0, ..full };
            }
            Span { width, low: value(a.low, 0), high: value(a.high, 0), nan: a.nan }
        }
        // The remainder has the sign of the first operand, and is no larger than either.
        Op::FRem if nothing(&[a, b]) => Span { low: 1, high: 0, ..full },
        Op::FRem => {
            let most = a.magnitude().high.min(b.magnitude().high).max(0);
            let nan = a.nan || b.nan || b.holds_zero() || a.may_be_infinite();
            Span { width, low: if a.low < 0 { -most } else { 0 }, high: if a.high > 0 { most } else { 0 }, nan }
        }
        Op::FMin | Op::FMax => a.or(b),
        Op::Native { function } => of_library(function, width, a, b),
        _ => full,
    }
}

/// Where `a * b + c` lies, rounded once.
pub(crate) fn forward_fused(a: Span, b: Span, c: Span) -> Span {
    let width = a.width;
    let full = Span::full(width);
    let all = [a, b, c];
    if all.iter().any(|span| !span.has_numbers()) {
        return Span { low: 1, high: 0, ..full };
    }
    if all.iter().any(Span::may_be_infinite) {
        return full;
    }
    let value = |x: i128, y: i128, z: i128| {
        place(width, compute(Op::FMa, width, width, at(width, x), at(width, y), at(width, z)))
    };
    let corners = [(a.low, b.low), (a.low, b.high), (a.high, b.low), (a.high, b.high)];
    let results = corners.into_iter().flat_map(|(x, y)| [value(x, y, c.low), value(x, y, c.high)]);
    Span::around(width, results, a.nan || b.nan || c.nan)
}

/// A call of the mathematical library: exact where the operands are, and otherwise what is known of the function.
fn of_library(function: u8, width: u8, a: Span, b: Span) -> Span {
    let op = Op::Native { function };
    let full = Span::full(width);
    let name = native::name(function);
    let family = if width == 32 { name.strip_suffix('f').unwrap_or(name) } else { name };
    let operands = op.arity();
    let given = &[a, b][..operands];
    if !op.gives_float() || given.iter().any(|span| span.width != width) {
        return full;
    }
    let value = |x: u128, y: u128| compute(op, width, width, x, y, 0);
    if given.iter().all(|span| !span.nan && span.has_numbers() && span.low == span.high) {
        let seconds = || if operands == 2 { b.values().collect() } else { vec![0] };
        let results: Vec<u128> = a.values().flat_map(|x| seconds().into_iter().map(move |y| value(x, y))).collect();
        let nan = results.iter().any(|&result| is_nan(width, result));
        let numbers = results.into_iter().filter(|&result| !is_nan(width, result));
        return Span::around(width, numbers.map(|result| place(width, result)), nan);
    }
    let between = |low: f64, high: f64, nan: bool| Span::numbers(width, low, high, nan).widened(SLACK);
    let pi = std::f64::consts::PI;
    // From end to end, where it never goes down.
    let rising = |low: i128, nan: bool| {
        if !a.has_numbers() || a.high < low {
            return Span { low: 1, high: 0, ..full };
        }
        let ends = [a.low.max(low), a.high].map(|x| place(width, value(at(width, x), 0)));
        Span { width, low: ends[0], high: ends[1], nan }.widened(SLACK)
    };
    let always = -infinity(width);
    match family {
        "sin" | "cos" => between(-1.0, 1.0, a.nan || a.may_be_infinite()),
        "asin" => between(-pi / 2.0, pi / 2.0, true),
        "acos" => Span { low: 0, ..between(0.0, pi, true) },
        "exp" | "exp2" | "exp10" => {
            let ends = rising(always, a.nan);
            Span { low: ends.low.max(0), ..ends }
        }
        "expm1" | "sinh" | "asinh" | "atan" | "tanh" | "cbrt" | "erf" => rising(always, a.nan),
        "log" | "log2" | "log10" => rising(0, a.nan || a.low < 0),
        "cosh" | "hypot" => Span { low: 0, ..full },
        // As the standard has it, it lies on the side of the axis where its first operand does.
        "atan2" => {
            let low = if a.low >= 0 && a.has_numbers() { 0.0 } else { -pi };
            let high = if a.high <= 0 && a.has_numbers() { 0.0 } else { pi };
            let all = Span::numbers(width, low, high, a.nan || b.nan);
            // A zero has a sign, too.
            if a.holds_zero() { between(-pi, pi, all.nan) } else { all.widened_outwards(low, high) }
        }
        _ => full,
    }
}

impl Span {
    /// By the slack, but not beyond zero.
    fn widened_outwards(self, low: f64, high: f64) -> Span {
        let wide = self.widened(SLACK);
        Span {
            low: if low == 0.0 { self.low } else { wide.low },
            high: if high == 0.0 { self.high } else { wide.high },
            ..wide
        }
    }
}

/// Sines and cosines of the same: the sum of their squares.
pub(crate) fn unit_circle(width: u8) -> Span {
    Span::numbers(width, 1.0, 1.0, true).widened(4 * SLACK)
}

/// The places of an operand, within `span`, for which the result may lie between those of `result`: `least` and `most`
/// are the least and the greatest result for that place, and neither ever goes down.
fn before(span: Span, result: Span, least: &dyn Fn(i128) -> i128, most: &dyn Fn(i128) -> i128) -> Span {
    let first = |holds: &dyn Fn(i128) -> bool| {
        let (mut from, mut to) = (span.low, span.high + 1);
        while from < to {
            let middle = from + (to - from) / 2;
            if holds(middle) { to = middle } else { from = middle + 1 }
        }
        from
    };
    if !span.has_numbers() {
        return span;
    }
    let low = first(&|x| most(x) >= result.low);
    let high = first(&|x| least(x) > result.high) - 1;
    Span { low, high, ..span }
}

/// Where the first operand lies when the result is a number and lies in `result`; the other lies in `b`.
pub(crate) fn backward(op: Op, result: Span, a: Span, b: Span) -> Span {
    // A NaN stays one in all of these.
    let arithmetic = matches!(op, Op::FAdd | Op::FSub | Op::FMul | Op::FDiv | Op::FRem | Op::FSqrt);
    if result.nan || !(arithmetic || is_rounding(op)) {
        return a;
    }
    let a = a.without_nan();
    let width = result.width;
    let value = |x: i128, y: i128| place(width, compute(op, width, a.width, at(a.width, x), at(b.width, y), 0));
    match op {
        Op::FAdd if !b.may_be_infinite() && b.has_numbers() => {
            before(a, result, &|x| value(x, b.low), &|x| value(x, b.high))
        }
        Op::FSub if !b.may_be_infinite() && b.has_numbers() => {
            before(a, result, &|x| value(x, b.high), &|x| value(x, b.low))
        }
        Op::FMul | Op::FDiv if !b.may_be_infinite() && b.has_numbers() && b.low > 0 => {
            before(a, result, &|x| value(x, b.low).min(value(x, b.high)), &|x| value(x, b.low).max(value(x, b.high)))
        }
        Op::FMul | Op::FDiv if !b.may_be_infinite() && b.has_numbers() && b.high < 0 => {
            backward(op, result.negated(), a, b.negated())
        }
        Op::FSqrt => {
            let a = Span { low: a.low.max(0), ..a };
            before(a, result, &|x| value(x, 0), &|x| value(x, 0))
        }
        op if is_rounding(op) => before(a, result, &|x| value(x, 0), &|x| value(x, 0)),
        _ => a,
    }
}
