//! Terms as readable text: `ult(add(in0[3], 0xd0:8), 0xa:8)`. Shared parts of large terms are named
//! once and referred to, so the text is never longer than the term's graph. Never recurses.

use crate::op::Op;
use crate::store::{Term, TermId, Terms};
use crate::vars::Var;
use rustc_hash::FxHashMap;
use std::fmt;

/// A term with its store, for printing.
pub struct Printed<'a> {
    terms: &'a Terms,
    id: TermId,
}

impl Terms {
    /// The term as text.
    pub fn show(&self, id: TermId) -> Printed<'_> {
        Printed { terms: self, id }
    }
}

impl fmt::Display for Var {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Var::Byte { object, offset } => write!(f, "in{object}[{offset}]"),
            Var::Length { object } => write!(f, "len(in{object})"),
        }
    }
}

enum Piece {
    Term(TermId),
    Text(&'static str),
}

impl Printed<'_> {
    fn leaf(&self, f: &mut fmt::Formatter<'_>, id: TermId) -> Result<bool, fmt::Error> {
        match self.terms.get(id) {
            Term::Constant(value) => {
                let width = self.terms.width(id);
                if width == 1 { write!(f, "{value}")? } else { write!(f, "{value:#x}:{width}")? }
            }
            Term::Variable(_, var) => write!(f, "{var}")?,
            Term::Apply(..) => return Ok(false),
        }
        Ok(true)
    }

    /// One term down to leaves and names.
    fn body(&self, f: &mut fmt::Formatter<'_>, root: TermId, names: &FxHashMap<TermId, usize>) -> fmt::Result {
        let mut stack = vec![Piece::Term(root)];
        while let Some(piece) = stack.pop() {
            let id = match piece {
                Piece::Text(text) => {
                    f.write_str(text)?;
                    continue;
                }
                Piece::Term(id) => id,
            };
            if let Some(name) = names.get(&id).filter(|_| id != root) {
                write!(f, "t{name}")?;
                continue;
            }
            if self.leaf(f, id)? {
                continue;
            }
            let Term::Apply(op, args) = self.terms.get(id) else { continue };
            let width = self.terms.width(id);
            match op {
                Op::Read => {
                    // The table by its number and size: contents would drown everything else.
                    let table = self.terms.table(args[1]);
                    let number = self.terms.as_constant(args[1]).unwrap_or(0);
                    write!(f, "table{number}<{}x{width}>[", table.values().len())?;
                    stack.push(Piece::Text("]"));
                    stack.push(Piece::Term(args[0]));
                    continue;
                }
                Op::Extract { lo } => write!(f, "extract[{}:{}](", lo + width - 1, lo)?,
                Op::ZExt | Op::SExt | Op::FToSi | Op::FToUi | Op::SiToF | Op::UiToF => write!(f, "{op}{width}(")?,
                _ => write!(f, "{op}(")?,
            }
            stack.push(Piece::Text(")"));
            for (place, &arg) in args.iter().enumerate().rev() {
                stack.push(Piece::Term(arg));
                if place > 0 {
                    stack.push(Piece::Text(", "));
                }
            }
        }
        Ok(())
    }
}

impl fmt::Display for Printed<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let order = self.terms.reachable(&[self.id]);
        let mut uses: FxHashMap<TermId, u32> = FxHashMap::default();
        for &id in &order {
            if let Term::Apply(_, args) = self.terms.get(id) {
                for &arg in args {
                    *uses.entry(arg).or_default() += 1;
                }
            }
        }
        let mut names = FxHashMap::default();
        for &id in &order {
            let shared = uses.get(&id).is_some_and(|&count| count > 1);
            if shared && id != self.id && matches!(self.terms.get(id), Term::Apply(..)) {
                let name = names.len();
                write!(f, "let t{name} = ")?;
                self.body(f, id, &names)?;
                f.write_str("; ")?;
                names.insert(id, name);
            }
        }
        self.body(f, self.id, &names)
    }
}
