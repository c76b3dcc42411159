//! The memory of the analysis: objects, and what was ever stored in each of their cells.

use super::set::{Meeting, Numbers, ObjectId, Offset, Set};
use crate::code::{GlobalId, Place};
use rustc_hash::{FxHashMap, FxHashSet};
use symcrete_program::FunctionId;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    Global(GlobalId),
    /// Room on the stack, by the instruction that makes it.
    Stack(Place),
    /// What a call allocates.
    Heap(Place),
    Function(FunctionId),
    /// A function that is not part of the program.
    External(String),
    Input,
}

#[derive(Debug)]
pub struct Object {
    pub kind: Kind,
    pub size: Option<u64>,
    pub cells: Vec<Cell>,
    /// All cells became one.
    crowded: bool,
    /// Begins as zeros.
    pub zero: bool,
    /// Stretches that were filled with zeros.
    pub fills: Vec<Fill>,
    /// Any number may be anywhere in it.
    pub numbers: bool,
    /// Reads, by place and size, that may come before anything is written there.
    pub early: FxHashSet<(Offset, u64)>,
    /// Code outside knows its address.
    pub escaped: bool,
    /// Something may write to it.
    pub changed: bool,
    /// Instructions that look into it, where, and at how many bytes.
    pub readers: FxHashSet<(Place, Offset, u64)>,
}

/// So many bytes, or an unknown number of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fill {
    pub at: Offset,
    pub count: Option<u64>,
}

impl Fill {
    /// What zeros give a read: 0 if each read is of zeros alone or of none, else any number.
    fn read(self, whole: Option<u64>, at: Offset, size: u64) -> Set {
        let all = self.count.is_some() && self.count == whole && self.at == Offset::new(0, 0);
        if size == 1 || all {
            return Set::number(0);
        }
        let (0, Some(count)) = (self.at.step, self.count) else { return Set::any() };
        let cuts = |edge: i64| match i64::try_from(at.step) {
            Ok(0) => at.at < edge && edge < at.at.saturating_add_unsigned(size),
            Ok(step) => (1..size as i64).contains(&(edge.wrapping_sub(at.at)).rem_euclid(step)),
            Err(_) => true,
        };
        if cuts(self.at.at) || cuts(self.at.at.saturating_add_unsigned(count)) {
            return Set::any();
        }
        match at.meets(size, self.at, count) {
            Meeting::Apart => Set::default(),
            _ => Set::number(0),
        }
    }
}

#[derive(Clone, Debug)]
pub struct Cell {
    pub at: Offset,
    pub size: u64,
    pub set: Set,
}

/// An object with more fillings than this has any numbers.
const MOST_FILLS: usize = 32;
/// An object with more cells than this has one.
const MOST_CELLS: usize = 400;

impl Object {
    /// Whether it holds nothing in particular before something is stored.
    pub fn begins_undefined(&self) -> bool {
        matches!(self.kind, Kind::Stack(_) | Kind::Heap(_)) && !self.zero && !self.numbers && !self.escaped
    }

    pub fn is_crowded(&self) -> bool {
        self.crowded
    }

    fn fits(&self, at: Offset, size: u64) -> bool {
        let Some(whole) = self.size else { return true };
        at.step != 0 || at.at >= 0 && (at.at as u64).saturating_add(size) <= whole
    }

    /// What can be read there. Nothing lies outside the object: a run that looks there has gone wrong already.
    pub fn load(&self, at: Offset, size: u64) -> Set {
        if self.escaped {
            return Set::top();
        }
        let mut all = Set::default();
        if !self.fits(at, size) {
            return all;
        }
        if self.zero {
            all.join(&Set::number(0));
        }
        if self.numbers || self.early.contains(&(at, size)) {
            all.join(&Set::any());
        }
        for fill in &self.fills {
            all.join(&fill.read(self.size, at, size));
        }
        for cell in &self.cells {
            match at.meets(size, cell.at, cell.size) {
                Meeting::Apart => {}
                Meeting::Same => drop(all.join(&cell.set)),
                Meeting::Partly => drop(all.join(&cell.set.mixed())),
            }
        }
        all
    }

    pub fn fill(&mut self, fill: Fill) -> bool {
        let new = !self.numbers && !self.fills.contains(&fill);
        if new && self.fills.len() < MOST_FILLS {
            self.fills.push(fill);
        } else if new {
            self.numbers = true;
        }
        new
    }

    /// Whether anything came with it.
    pub fn store(&mut self, at: Offset, size: u64, set: &Set) -> bool {
        if !self.fits(at, size) || set.is_empty() {
            return false;
        }
        if self.crowded {
            return self.cells[0].set.join(&set.mixed());
        }
        if let Some(cell) = self.cells.iter_mut().find(|cell| (cell.at, cell.size) == (at, size)) {
            return cell.set.join(set);
        }
        if self.cells.len() < MOST_CELLS {
            self.cells.push(Cell { at, size, set: set.clone() });
            return true;
        }
        let mut all = Cell { at: Offset::ANY, size: 1, set: set.mixed() };
        for cell in &self.cells {
            all.set.join(&cell.set.mixed());
        }
        (self.cells, self.crowded) = (vec![all], true);
        true
    }
}

#[derive(Default)]
pub struct Memory {
    pub objects: Vec<Object>,
    ids: FxHashMap<Kind, ObjectId>,
}

impl Memory {
    pub fn find(&self, kind: &Kind) -> Option<ObjectId> {
        self.ids.get(kind).copied()
    }

    pub fn add(&mut self, kind: Kind, size: Option<u64>) -> ObjectId {
        let id = ObjectId(self.objects.len() as u32);
        self.ids.insert(kind.clone(), id);
        self.objects.push(Object {
            kind,
            size,
            cells: vec![],
            crowded: false,
            zero: false,
            fills: vec![],
            numbers: false,
            early: FxHashSet::default(),
            escaped: false,
            changed: false,
            readers: FxHashSet::default(),
        });
        id
    }

    pub fn of(&self, id: ObjectId) -> &Object {
        &self.objects[id.0 as usize]
    }

    pub fn of_mut(&mut self, id: ObjectId) -> &mut Object {
        &mut self.objects[id.0 as usize]
    }
}

/// Whether an address may be of something outside: by where it comes from, or written down as a number.
pub fn may_be_outside(address: &Set) -> bool {
    let written_down = match &address.numbers {
        // Nothing lies at the beginning of the address space, and programs have 2⁴⁷ bytes of it.
        Numbers::Few(values) => values.iter().any(|value| (4096..1 << 47).contains(value)),
        Numbers::Between(..) | Numbers::Any => false,
    };
    address.outside || written_down
}
