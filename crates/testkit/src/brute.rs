//! Every input there is, where there are few enough: the reachable sides are then known for certain.

use crate::case::Case;
use crate::input::{Declared, Input, Object};

/// Inputs with more bytes than this are too many.
const MOST: u32 = 2;
/// A run of a case that is enumerated ends, or the case is wrong.
const MILLISECONDS: u32 = 2000;

/// All inputs of a case, if it declares at most two bytes in all and asks for nothing while it runs.
pub fn all_inputs(case: &Case) -> Option<Vec<Input>> {
    let mut total = 0;
    for input in &case.inputs {
        let Declared::Source { capacity, .. } = input else { return None };
        total += capacity;
    }
    if total > MOST || case.bugs().iter().any(|(kind, ..)| kind == "timeout" || kind == "stack-overflow") {
        return None;
    }
    let mut all: Vec<Vec<Object>> = vec![vec![]];
    for input in &case.inputs {
        let Declared::Source { kind, name, capacity, exact } = input else { return None };
        let mut next = vec![];
        for objects in &all {
            for bytes in strings(if *exact { *capacity } else { 0 }, *capacity) {
                let mut objects = objects.clone();
                objects.push(Object { kind: *kind, name: name.clone(), bytes });
                next.push(objects);
            }
        }
        all = next;
    }
    Some(all.into_iter().map(|objects| Input { objects, milliseconds: MILLISECONDS }).collect())
}

/// Every byte string of these lengths, at most two.
fn strings(least: u32, most: u32) -> Vec<Vec<u8>> {
    let mut all = vec![];
    for length in least..=most {
        let count = 1u32 << (8 * length);
        all.extend((0..count).map(|n| n.to_le_bytes()[..length as usize].to_vec()));
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts() {
        assert_eq!(strings(0, 0).len(), 1);
        assert_eq!(strings(0, 1).len(), 257);
        assert_eq!(strings(2, 2).len(), 65536);
    }
}
