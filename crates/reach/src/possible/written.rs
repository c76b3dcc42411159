//! Which bytes of an object were certainly written; and those that never were, wherever they are copied to.

use super::Work;
use super::set::{ObjectId, Offset, Set};
use symcrete_program::code::What;

/// What is known of the object at one point.
#[derive(Clone, Debug, PartialEq)]
pub enum Written {
    /// There is no object.
    Gone,
    /// Bytes that were certainly written: stretches, sorted, apart.
    Bytes(Vec<(i64, i64)>),
}

impl Written {
    pub fn add(&mut self, from: i64, size: u64) {
        let Written::Bytes(list) = self else { return };
        let (mut from, mut upto) = (from, from.saturating_add_unsigned(size));
        list.retain(|&(a, b)| {
            let touches = a <= upto && from <= b;
            if touches {
                (from, upto) = (from.min(a), upto.max(b));
            }
            !touches
        });
        let at = list.partition_point(|(a, _)| *a < from);
        list.insert(at, (from, upto));
    }

    pub fn covers(&self, at: Offset, size: u64, whole: Option<u64>) -> bool {
        let Written::Bytes(list) = self else { return true };
        let (from, upto) = match (at.step, whole) {
            (0, _) => (at.at, at.at.saturating_add_unsigned(size)),
            (_, Some(whole)) => (0, whole as i64),
            (_, None) => return false,
        };
        list.iter().any(|&(a, b)| a <= from && upto <= b)
    }

    pub fn meet(&self, other: &Written) -> Written {
        match (self, other) {
            (Written::Gone, known) | (known, Written::Gone) => known.clone(),
            (Written::Bytes(a), Written::Bytes(b)) => {
                let mut both = vec![];
                for &(from, upto) in a {
                    for &(other, end) in b {
                        let (from, upto) = (from.max(other), upto.min(end));
                        if from < upto {
                            both.push((from, upto));
                        }
                    }
                }
                Written::Bytes(both)
            }
        }
    }
}

/// Bytes that nobody ever wrote are copied like others: any numbers, where they come to lie.
pub fn copy_gaps(work: &mut Work<'_, '_>, id: ObjectId) -> bool {
    let mut found = false;
    for place in super::born::places_of(work, id) {
        let (Some(body), Some(instruction)) = (work.body(place.function), work.instruction(place)) else {
            continue;
        };
        let (What::Call(call) | What::Invoke(call)) = &instruction.what else { continue };
        let [to, from, count] = [0, 1, 2].map(|n| match call.arguments.get(n) {
            Some(argument) => work.operand(body, place.function, *argument),
            None => Set::any(),
        });
        let count = match count.as_few() {
            Some([one]) => i64::try_from(*one).ok(),
            _ => None,
        };
        for &(_, at) in from.places.iter().filter(|(object, _)| *object == id) {
            let gaps = match count {
                Some(count) if at.step == 0 => gaps(work, id, at.at, at.at.saturating_add(count)),
                _ => vec![],
            };
            for &(target, begin) in &to.places {
                let exact = gaps.iter().map(|&(a, b)| (begin.moved(a - at.at), (b - a) as u64));
                let all = (count.is_none() || at.step != 0).then_some((Offset::ANY, 1));
                for (there, size) in exact.chain(all) {
                    work.memory.of_mut(target).changed = true;
                    if work.memory.of_mut(target).store(there, size, &Set::any()) {
                        found = true;
                        work.read_again(target);
                    }
                }
            }
        }
    }
    found
}

/// Stretches of an object that no cell and no filling covers.
fn gaps(work: &Work<'_, '_>, id: ObjectId, from: i64, upto: i64) -> Vec<(i64, i64)> {
    let object = work.memory.of(id);
    let mut covered = Written::Bytes(vec![]);
    for cell in object.cells.iter().filter(|cell| cell.at.step == 0) {
        covered.add(cell.at.at, cell.size);
    }
    for fill in object.fills.iter().filter(|fill| fill.at.step == 0) {
        covered.add(fill.at.at, fill.count.unwrap_or(0));
    }
    let Written::Bytes(covered) = covered else { return vec![] };
    let (mut gaps, mut next) = (vec![], from);
    for (a, b) in covered {
        if next < a.min(upto) {
            gaps.push((next, a.min(upto)));
        }
        next = next.max(b);
    }
    if next < upto {
        gaps.push((next, upto));
    }
    gaps
}
