//! Sets of values: which numbers, addresses of which objects. Joins only grow them.

/// An object of the analysis: a global, room on the stack, what one call allocates, a function, the input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ObjectId(pub u32);

/// More numbers than this are any.
const MOST_NUMBERS: usize = 24;
/// More places of one object than this become a row of places.
const MOST_PLACES: usize = 6;

/// Places in an object: `at`, or `at + k · step` for any k.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Offset {
    pub at: i64,
    pub step: u64,
}

/// How two stretches of an object lie to each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meeting {
    Apart,
    /// Wherever they share a byte they share all.
    Same,
    Partly,
}

impl Offset {
    pub const ANY: Offset = Offset { at: 0, step: 1 };

    pub fn new(at: i64, step: u64) -> Offset {
        match i64::try_from(step) {
            Ok(0) => Offset { at, step },
            Ok(rows) => Offset { at: at.rem_euclid(rows), step },
            Err(_) => Offset::ANY,
        }
    }

    pub fn moved(self, by: i64) -> Offset {
        Offset::new(self.at.wrapping_add(by), self.step)
    }

    /// Moved by any multiple of a step.
    pub fn in_steps(self, step: u64) -> Offset {
        Offset::new(self.at, gcd(self.step, step))
    }

    pub fn join(self, other: Offset) -> Offset {
        Offset::new(self.at, gcd(gcd(self.step, other.step), self.at.abs_diff(other.at)))
    }

    fn contains(self, other: Offset) -> bool {
        self.join(other) == self
    }

    pub fn meets(self, size: u64, other: Offset, other_size: u64) -> Meeting {
        let step = gcd(self.step, other.step);
        if step == 0 {
            let (end, other_end) =
                (self.at.saturating_add_unsigned(size), other.at.saturating_add_unsigned(other_size));
            return match () {
                () if end <= other.at || other_end <= self.at => Meeting::Apart,
                () if self.at == other.at && size == other_size => Meeting::Same,
                () => Meeting::Partly,
            };
        }
        let ahead = (i128::from(self.at) - i128::from(other.at)).rem_euclid(i128::from(step)) as u64;
        match ahead {
            0 if size == other_size && size <= step => Meeting::Same,
            0 => Meeting::Partly,
            _ if ahead >= other_size && step - ahead >= size => Meeting::Apart,
            _ => Meeting::Partly,
        }
    }
}

pub fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// Numbers, sorted; or any at all.
#[derive(Clone, Debug, PartialEq)]
pub enum Numbers {
    Few(Vec<u128>),
    Any,
}

/// What a value can be.
#[derive(Clone, Debug, PartialEq)]
pub struct Set {
    pub numbers: Numbers,
    /// Sorted.
    pub places: Vec<(ObjectId, Offset)>,
    /// An address of something that code outside knows.
    pub outside: bool,
}

impl Default for Set {
    fn default() -> Set {
        Set { numbers: Numbers::Few(vec![]), places: vec![], outside: false }
    }
}

impl Set {
    pub fn number(value: u128) -> Set {
        Set { numbers: Numbers::Few(vec![value]), ..Set::default() }
    }

    pub fn few(mut values: Vec<u128>) -> Set {
        values.sort_unstable();
        values.dedup();
        let numbers = if values.len() > MOST_NUMBERS { Numbers::Any } else { Numbers::Few(values) };
        Set { numbers, ..Set::default() }
    }

    /// Every number.
    pub fn any() -> Set {
        Set { numbers: Numbers::Any, ..Set::default() }
    }

    /// Everything that code outside may give.
    pub fn top() -> Set {
        Set { numbers: Numbers::Any, places: vec![], outside: true }
    }

    pub fn place(object: ObjectId, offset: Offset) -> Set {
        Set { places: vec![(object, offset)], ..Set::default() }
    }

    pub fn is_empty(&self) -> bool {
        self.places.is_empty() && !self.outside && self.numbers == Numbers::Few(vec![])
    }

    /// How many numbers.
    pub fn count(&self) -> Option<usize> {
        match &self.numbers {
            Numbers::Few(values) => Some(values.len()),
            Numbers::Any => None,
        }
    }

    /// The numbers, when it is nothing but a few of them.
    pub fn as_few(&self) -> Option<&[u128]> {
        match &self.numbers {
            Numbers::Few(values) if self.places.is_empty() && !self.outside => Some(values),
            _ => None,
        }
    }

    pub fn may_be(&self, number: u128) -> bool {
        self.outside
            || match &self.numbers {
                Numbers::Any => true,
                Numbers::Few(values) => values.contains(&number),
            }
    }

    /// What is left of it when bits are mixed: any number, any place of the same objects.
    pub fn mixed(&self) -> Set {
        if self.is_empty() {
            return Set::default();
        }
        let mut places: Vec<(ObjectId, Offset)> =
            self.places.iter().map(|(object, _)| (*object, Offset::ANY)).collect();
        places.dedup();
        Set { numbers: Numbers::Any, places, outside: self.outside }
    }

    /// Whether anything came with it.
    pub fn join(&mut self, other: &Set) -> bool {
        let mut grown = !self.outside && other.outside;
        self.outside |= other.outside;
        match (&mut self.numbers, &other.numbers) {
            (Numbers::Any, _) => {}
            (own, Numbers::Any) => (*own, grown) = (Numbers::Any, true),
            (Numbers::Few(own), Numbers::Few(others)) => {
                let before = own.len();
                for &value in others {
                    if let Err(at) = own.binary_search(&value) {
                        own.insert(at, value);
                    }
                }
                grown |= own.len() > before;
                if own.len() > MOST_NUMBERS {
                    self.numbers = Numbers::Any;
                }
            }
        }
        // Most joins bring nothing new: both lists are sorted.
        let mut at = 0;
        for &(object, offset) in &other.places {
            while self.places.get(at).is_some_and(|known| *known < (object, offset)) {
                at += 1;
            }
            if self.places.get(at) != Some(&(object, offset)) && self.add_place(object, offset) {
                (grown, at) = (true, 0);
            }
        }
        grown
    }

    fn add_place(&mut self, object: ObjectId, offset: Offset) -> bool {
        let from = self.places.partition_point(|(known, _)| *known < object);
        let upto = self.places.partition_point(|(known, _)| *known <= object);
        let known = &self.places[from..upto];
        if known.iter().any(|(_, known)| known.contains(offset)) {
            return false;
        }
        let mut own: Vec<Offset> =
            known.iter().map(|(_, known)| *known).filter(|known| !offset.contains(*known)).collect();
        if own.len() < MOST_PLACES {
            let at = own.partition_point(|known| *known < offset);
            own.insert(at, offset);
        } else {
            own = vec![own.iter().fold(offset, |all, known| all.join(*known))];
        }
        self.places.splice(from..upto, own.into_iter().map(|offset| (object, offset)));
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn bytes_of(offset: Offset, size: u64) -> Vec<Vec<i64>> {
        let rows: Vec<i64> = if offset.step == 0 { vec![0] } else { (-40..40).collect() };
        let first = |k: &i64| offset.at + k * offset.step as i64;
        rows.iter().map(first).map(|at| (at..at + size as i64).collect()).collect()
    }

    fn offsets() -> impl Strategy<Value = Offset> {
        (-20i64..20, 0u64..12).prop_map(|(at, step)| Offset::new(at, step))
    }

    proptest! {
        #[test]
        fn meetings_are_those_of_the_bytes(a in offsets(), s in 1u64..9, b in offsets(), t in 1u64..9) {
            let meets = |x: &Vec<i64>, y: &Vec<i64>| x.iter().any(|byte| y.contains(byte));
            let (mut any, mut all_same) = (false, true);
            for x in &bytes_of(a, s) {
                for y in bytes_of(b, t).iter().filter(|y| meets(x, y)) {
                    any = true;
                    all_same &= x == y;
                }
            }
            match a.meets(s, b, t) {
                Meeting::Apart => prop_assert!(!any),
                Meeting::Same => prop_assert!(all_same),
                Meeting::Partly => prop_assert!(any),
            }
        }

        #[test]
        fn joins_contain_both(a in offsets(), b in offsets()) {
            let joined = a.join(b);
            prop_assert!(joined.contains(a) && joined.contains(b));
        }

        #[test]
        fn places_are_never_forgotten(list in prop::collection::vec((0u32..3, offsets()), 0..30)) {
            let mut set = Set::default();
            for &(object, offset) in &list {
                set.join(&Set::place(ObjectId(object), offset));
            }
            for (object, offset) in list {
                prop_assert!(set.places.iter().any(|(o, known)| o.0 == object && known.contains(offset)));
            }
            prop_assert!(set.places.is_sorted());
        }
    }
}
