//! Sets of values: which numbers, addresses of which objects. Joins only grow them.

/// An object of the analysis: a global, room on the stack, what one call allocates, a function, the input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ObjectId(pub u32);

/// More numbers than this are any.
const MOST_NUMBERS: usize = 24;
/// More places of one object than this become a row of places.
const MOST_PLACES: usize = 6;
/// Rows of so many places may grow one by one.
const SHORT_ROW: i128 = 64;

/// Places in an object: `at` alone, or every `at + k · step` from `first` to `last`. Unbounded ends are the ends of the
/// numbers; bounded ones are places themselves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Offset {
    pub at: i64,
    pub step: u64,
    pub first: i64,
    pub last: i64,
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
    pub const ANY: Offset = Offset { at: 0, step: 1, first: i64::MIN, last: i64::MAX };

    /// A row without ends, or one place.
    pub fn new(at: i64, step: u64) -> Offset {
        match i64::try_from(step) {
            Ok(0) => Offset { at, step, first: at, last: at },
            Ok(rows) => Offset { at: at.rem_euclid(rows), step, first: i64::MIN, last: i64::MAX },
            Err(_) => Offset::ANY,
        }
    }

    /// A row with ends, which are places of it or none.
    fn row(at: i64, step: u64, first: i64, last: i64) -> Offset {
        match Offset::new(at, step) {
            one if step == 0 || first == last => {
                Offset { step: 0, ..Offset::new(if step == 0 { one.at } else { first }, 0) }
            }
            row => Offset { first, last, ..row },
        }
    }

    pub fn moved(self, by: i64) -> Offset {
        if self.step == 0 {
            return Offset::new(self.at.wrapping_add(by), 0);
        }
        let moved = |end: i64, none: i64| if end == none { none } else { end.checked_add(by).unwrap_or(none) };
        let (first, last) = (moved(self.first, i64::MIN), moved(self.last, i64::MAX));
        Offset { first, last, ..Offset::new(self.at.wrapping_add(by), self.step) }
    }

    /// Moved by any multiple of a step.
    pub fn in_steps(self, step: u64) -> Offset {
        if step == 0 { self } else { Offset::new(self.at, gcd(self.step, step)) }
    }

    /// Moved by the scale so many times, at least and at most.
    pub fn times(self, scale: i64, least: u64, most: u64) -> Offset {
        let times = |count: u64| i64::try_from(count).ok().and_then(|count| scale.checked_mul(count));
        let (Some(a), Some(b)) = (times(least), times(most)) else { return self.in_steps(scale.unsigned_abs()) };
        let (down, up) = (a.min(b), a.max(b));
        let first = if self.first == i64::MIN { None } else { self.first.checked_add(down) };
        let last = if self.last == i64::MAX { None } else { self.last.checked_add(up) };
        let at = first.or(last).unwrap_or(self.at.wrapping_add(a));
        let step = gcd(self.step, if least == most { 0 } else { scale.unsigned_abs() });
        Offset::row(at, step, first.unwrap_or(i64::MIN), last.unwrap_or(i64::MAX))
    }

    pub fn join(self, other: Offset) -> Offset {
        let step = gcd(gcd(self.step, other.step), self.at.abs_diff(other.at));
        Offset::row(self.at, step, self.first.min(other.first), self.last.max(other.last))
    }

    /// The same, without the ends that this row had and that no longer hold: it is growing.
    fn grown(self, other: Offset) -> Offset {
        let joined = self.join(other);
        if self.step == 0 || joined.step == 0 {
            return joined;
        }
        let first = if joined.first < self.first { i64::MIN } else { joined.first };
        let last = if joined.last > self.last { i64::MAX } else { joined.last };
        Offset { first, last, ..joined }
    }

    fn contains(self, other: Offset) -> bool {
        self.join(other) == self
    }

    pub fn meets(self, size: u64, other: Offset, other_size: u64) -> Meeting {
        let before = |a: Offset, size: u64, b: Offset| {
            a.last != i64::MAX && b.first != i64::MIN && a.last.saturating_add_unsigned(size) <= b.first
        };
        if before(self, size, other) || before(other, other_size, self) {
            return Meeting::Apart;
        }
        let step = gcd(self.step, other.step);
        if step == 0 {
            return if self.at == other.at && size == other_size { Meeting::Same } else { Meeting::Partly };
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

/// Numbers, sorted; all between two (as unsigned numbers of their width, ends included); or any at all.
#[derive(Clone, Debug, PartialEq)]
pub enum Numbers {
    Few(Vec<u128>),
    Between(u64, u64),
    Any,
}

impl Numbers {
    /// All up to the largest number of a width.
    pub fn of_width(bits: u8) -> Numbers {
        if bits < 64 { Numbers::Between(0, (1 << bits) - 1) } else { Numbers::Any }
    }

    /// The least and the greatest; nothing when there are none, or when that is not known.
    pub fn ends(&self) -> Option<(u64, u64)> {
        match self {
            Numbers::Few(values) => {
                let end = |value: Option<&u128>| value.and_then(|value| u64::try_from(*value).ok());
                Some((end(values.first())?, end(values.last())?))
            }
            Numbers::Between(least, most) => Some((*least, *most)),
            Numbers::Any => None,
        }
    }

    /// Whether anything came with it.
    fn join(&mut self, other: &Numbers) -> bool {
        if let (Numbers::Few(own), Numbers::Few(others)) = (&mut *self, other) {
            let before = own.len();
            for &value in others {
                if let Err(at) = own.binary_search(&value) {
                    own.insert(at, value);
                }
            }
            let grown = own.len() > before;
            if own.len() > MOST_NUMBERS {
                *self = Numbers::of_ends(own[0], own[own.len() - 1]);
            }
            return grown;
        }
        let joined = match (&*self, other) {
            (known, Numbers::Few(none)) if none.is_empty() => known.clone(),
            (Numbers::Few(none), known) if none.is_empty() => known.clone(),
            (known, other) => match (known.ends(), other.ends()) {
                (Some((a, b)), Some((c, d))) => Numbers::Between(a.min(c), b.max(d)),
                _ => Numbers::Any,
            },
        };
        let grown = joined != *self;
        *self = joined;
        grown
    }

    /// Ends further out, of few kinds: what grows comes to an end soon.
    pub fn of_ends(least: u128, most: u128) -> Numbers {
        const LEVELS: [u64; 6] = [63, 255, 65535, (1 << 31) - 1, (1 << 32) - 1, (1 << 63) - 1];
        match LEVELS.iter().find(|level| most <= u128::from(**level)) {
            Some(level) => Numbers::Between(u64::from(least > 0), *level),
            None => Numbers::Any,
        }
    }
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
        let numbers = match (values.first(), values.last()) {
            (Some(first), Some(last)) if values.len() > MOST_NUMBERS => {
                match Numbers::Few(vec![*first, *last]).ends() {
                    Some((least, most)) => Numbers::Between(least, most),
                    None => Numbers::Any,
                }
            }
            _ => Numbers::Few(values),
        };
        Set { numbers, ..Set::default() }
    }

    /// All numbers between two.
    pub fn between(least: u64, most: u64) -> Set {
        Set { numbers: Numbers::Between(least, most), ..Set::default() }
    }

    /// Every number of a width.
    pub fn of_width(bits: Option<u8>) -> Set {
        Set { numbers: bits.map_or(Numbers::Any, Numbers::of_width), ..Set::default() }
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
            Numbers::Between(..) | Numbers::Any => None,
        }
    }

    /// Whether it is numbers alone.
    pub fn is_numbers(&self) -> bool {
        self.places.is_empty() && !self.outside
    }

    /// The least and the greatest number, when it is numbers alone and that is known.
    pub fn ends(&self) -> Option<(u64, u64)> {
        self.numbers.ends().filter(|_| self.is_numbers())
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
                Numbers::Between(least, most) => (u128::from(*least)..=u128::from(*most)).contains(&number),
                Numbers::Few(values) => values.contains(&number),
            }
    }

    /// As a value of a width.
    pub fn within(mut self, bits: u8) -> Set {
        if bits < 64
            && self.numbers.ends().is_none_or(|(_, most)| most >> bits > 0)
            && !matches!(self.numbers, Numbers::Few(_))
        {
            self.numbers = Numbers::of_width(bits);
        }
        self
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
        grown |= self.numbers.join(&other.numbers);
        grown | self.join_places(&other.places)
    }

    /// Most joins bring nothing new; both lists are sorted.
    fn join_places(&mut self, others: &[(ObjectId, Offset)]) -> bool {
        let end_of = |list: &[(ObjectId, Offset)], from: usize| {
            let object = list[from].0;
            from + list[from..].iter().take_while(|(other, _)| *other == object).count()
        };
        let (mut at, mut next, mut all) = (0, 0, None::<Vec<(ObjectId, Offset)>>);
        while next < others.len() {
            let (object, upto) = (others[next].0, end_of(others, next));
            let before = at;
            while self.places.get(at).is_some_and(|(known, _)| *known < object) {
                at += 1;
            }
            let has = self.places.get(at).is_some_and(|(known, _)| *known == object);
            let end = if has { end_of(&self.places, at) } else { at };
            let (known, new) = (&self.places[at..end], &others[next..upto]);
            let is_new = |(_, offset): &(ObjectId, Offset)| !known.iter().any(|(_, known)| known.contains(*offset));
            if all.is_none() && new.iter().any(is_new) {
                all = Some(self.places[..before].to_vec());
            }
            if let Some(all) = &mut all {
                all.extend_from_slice(&self.places[before..at]);
                let mut own: Vec<Offset> = known.iter().map(|(_, offset)| *offset).collect();
                new.iter().for_each(|(_, offset)| add_offset(&mut own, *offset));
                all.extend(own.into_iter().map(|offset| (object, offset)));
            }
            (at, next) = (end, upto);
        }
        let Some(mut all) = all else { return false };
        all.extend_from_slice(&self.places[at..]);
        self.places = all;
        true
    }
}

/// One more place among those of one object; sorted.
fn add_offset(known: &mut Vec<Offset>, offset: Offset) {
    if known.iter().any(|known| known.contains(offset)) {
        return;
    }
    // A row that takes the place of one that it is hardly longer than goes on growing; short ones follow their index.
    let length = |row: Offset| i128::from(row.last) - i128::from(row.first);
    let hardly = |known: &&Offset| {
        let before = length(**known);
        let is_long = known.step != 0 && before > SHORT_ROW * i128::from(known.step);
        is_long && offset.contains(**known) && length(offset) < before + before / 8
    };
    let offset = known.iter().find(hardly).map_or(offset, |known| known.grown(offset));
    known.retain(|known| !offset.contains(*known));
    if known.len() < MOST_PLACES {
        known.insert(known.partition_point(|known| *known < offset), offset);
    } else {
        *known = vec![known.iter().fold(offset, |all, known| known.grown(all))];
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn bytes_of(offset: Offset, size: u64) -> Vec<Vec<i64>> {
        let rows: Vec<i64> = if offset.step == 0 { vec![0] } else { (-40..40).collect() };
        let first = |k: &i64| offset.at + k * offset.step as i64;
        let inside = |at: &i64| (offset.first..=offset.last).contains(at);
        rows.iter().map(first).filter(inside).map(|at| (at..at + size as i64).collect()).collect()
    }

    fn offsets() -> impl Strategy<Value = Offset> {
        let ends = |(at, step, least, most): (i64, u64, u64, u64)| match least + most {
            0 => Offset::new(at, step),
            _ => Offset::new(at, 0).times(step as i64, least, least + most),
        };
        (-20i64..20, 0u64..12, 0u64..3, 0u64..5).prop_map(ends)
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
                // With ends both may pass the other by.
                Meeting::Partly => prop_assert!(any || [a, b].iter().any(|row| row.step != 0 && row.first > i64::MIN)),
            }
        }

        #[test]
        fn moves_are_those_of_the_places(a in offsets(), by in -9i64..9, scale in -9i64..9, least in 0u64..3, more in 0u64..3) {
            for place in bytes_of(a, 1).into_iter().flatten() {
                prop_assert!(a.moved(by).contains(Offset::new(place + by, 0)));
                for count in least..=least + more {
                    let there = place + scale * count as i64;
                    prop_assert!(a.times(scale, least, least + more).contains(Offset::new(there, 0)));
                    prop_assert!(a.in_steps(scale.unsigned_abs()).contains(Offset::new(there, 0)));
                }
            }
        }

        #[test]
        fn growing_comes_to_an_end(start in offsets(), by in -9i64..9, scale in 0i64..9, most in 0u64..9) {
            let mut set = Set::place(ObjectId(0), start);
            let moved = |set: &Set| {
                let mut all = Set::default();
                for (object, at) in &set.places {
                    all.join(&Set::place(*object, at.moved(by).times(scale, 0, most)));
                }
                all
            };
            let turns = (0..400).take_while(|_| set.join(&moved(&set.clone()))).count();
            prop_assert!(turns < 400);
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
