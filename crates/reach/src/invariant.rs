//! Bounds that hold at the head of a loop, whatever the turn: a counter that begins at a constant and is only moved
//! one step at a time, away from it, while it is compared with the other end, never passes where it began.

use crate::code::{Body, Code, Place};
use crate::flow::Flow;
use symcrete_program::FunctionId;
use symcrete_program::code::{Binary, Constant, Operand, Order, What};

/// A value at the head of a loop is never less (or never more) than a constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bound {
    pub constant: u128,
    pub signed: bool,
    /// Never less; otherwise never more.
    pub from_below: bool,
}

/// The bound of phi number `phi` of a block, if its loop has the form.
pub fn bound(
    code: &Code<'_>,
    body: Body<'_>,
    flow: &Flow,
    function: FunctionId,
    block: u32,
    phi: u32,
) -> Option<Bound> {
    let list = &body.function.blocks[block as usize];
    let What::Phi(incoming) = &list[phi as usize].what else { return None };
    let own = code.value(Place { function, block, at: phi });
    let width = crate::code::width(body.code, list[phi as usize].ty)?;
    let number = |operand: Operand| match operand {
        Operand::Constant(id) => match body.code.constants[id as usize] {
            Constant::Int(_, value) => Some(value),
            _ => None,
        },
        Operand::Value(_) => None,
    };
    let (mut first, mut step) = (None, None);
    for (before, value) in incoming.iter().filter(|(before, _)| flow.is_reachable(*before)) {
        let found = if flow.dominates(block, *before) {
            let Operand::Value(next) = value else { return None };
            let instruction = code.instruction(code.definition(function, *next)?)?;
            let by = match instruction.what {
                What::Binary(Binary::Add, Operand::Value(v), by) if v == own => number(by)?,
                What::Binary(Binary::Sub, Operand::Value(v), by) if v == own => {
                    number(by)?.wrapping_neg() & (u128::MAX >> (128 - u32::from(width)))
                }
                _ => return None,
            };
            (&mut step, by)
        } else {
            (&mut first, number(*value)?)
        };
        match found.0 {
            Some(known) if *known != found.1 => return None,
            place => *place = Some(found.1),
        }
    }
    // A step of one passes no end that it is compared with.
    let minus_one = u128::MAX >> (128 - u32::from(width));
    let up = match step? {
        1 => true,
        down if down == minus_one => false,
        _ => return None,
    };
    let What::Branch(Operand::Value(condition)) = list.last()?.what else { return None };
    let What::Compare(order, a, b) = code.instruction(code.definition(function, condition)?)?.what else { return None };
    let order = if a == Operand::Value(own) {
        order
    } else if b == Operand::Value(own) {
        mirrored(order)
    } else {
        return None;
    };
    let signed = match (order, up) {
        (Order::SignedLess, true) | (Order::SignedGreater, false) => true,
        (Order::UnsignedLess, true) | (Order::UnsignedGreater, false) => false,
        _ => return None,
    };
    // Every turn passes the comparison first.
    let inside = *body.model.blocks[block as usize].successors.first()?;
    let guarded = |before: u32| flow.is_edge(block, inside) && flow.dominates(inside, before);
    let turns = flow.predecessors[block as usize].iter().filter(|&&before| flow.dominates(block, before));
    let all = turns.clone().all(|&before| guarded(before));
    all.then_some(Bound { constant: first?, signed, from_below: up })
}

fn mirrored(order: Order) -> Order {
    match order {
        Order::SignedLess => Order::SignedGreater,
        Order::SignedGreater => Order::SignedLess,
        Order::UnsignedLess => Order::UnsignedGreater,
        Order::UnsignedGreater => Order::UnsignedLess,
        other => other,
    }
}
