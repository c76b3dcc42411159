//! Reads the units of a linked target and gives every side, site and function one number.

use crate::{Details, FORMAT, Function, FunctionId, Side, SideId, Site, SiteId, Unit, UnitId};
use object::{Object, ObjectSection};
use rustc_hash::FxHashMap;

#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    #[error("not an object file: {0}")]
    NotAnObject(String),
    #[error("the file carries no program model: build it with `symcrete cc`")]
    NoModel,
    #[error("the program model cannot be read ({0}): rebuild the target with this version of symcrete")]
    Unreadable(String),
}

/// All units of a linked program. Ids are positions in link order: side `s` of unit `u` is
/// `side_base[u] + s`, and so on.
#[derive(Debug, Default)]
pub struct Program {
    units: Vec<Unit>,
    /// Parallel to `units`; a unit built by hand has none.
    details: Vec<Option<Details>>,
    side_base: Vec<u32>,
    site_base: Vec<u32>,
    function_base: Vec<u32>,
    sides: u32,
    sites: u32,
    functions: u32,
}

impl Program {
    /// Reads the model from the bytes of an executable or shared object.
    pub fn from_elf(bytes: &[u8]) -> Result<Program, LoadError> {
        let file = object::File::parse(bytes).map_err(|e| LoadError::NotAnObject(e.to_string()))?;
        let section = file.section_by_name(symcrete_abi::unit::SECTION_MODEL).ok_or(LoadError::NoModel)?;
        let data = section.uncompressed_data().map_err(|e| LoadError::Unreadable(e.to_string()))?;
        let mut program = Program::default();
        each_piece(&data, |piece| {
            let unit: Unit = postcard::from_bytes(piece).map_err(|e| LoadError::Unreadable(e.to_string()))?;
            if unit.format != FORMAT {
                return Err(LoadError::Unreadable(format!("format {} instead of {FORMAT}", unit.format)));
            }
            program.push(unit);
            Ok(())
        })?;
        if let Some(section) = file.section_by_name(symcrete_abi::unit::SECTION_DETAILS) {
            let data = section.uncompressed_data().map_err(|e| LoadError::Unreadable(e.to_string()))?;
            let numbers: FxHashMap<u64, usize> = program.units.iter().enumerate().map(|(i, u)| (u.hash, i)).collect();
            each_piece(&data, |piece| {
                let Some((hash, pieces)) = piece.split_first_chunk::<8>() else { return Ok(()) };
                if let Some(&unit) = numbers.get(&u64::from_le_bytes(*hash)) {
                    program.details[unit] = Some(Details::new(pieces)?);
                }
                Ok(())
            })?;
        }
        Ok(program)
    }

    /// What only some jobs need to know of a unit.
    pub fn details(&self, unit: UnitId) -> Option<&Details> {
        self.details[unit.index()].as_ref()
    }

    /// Appends a unit (of another shared object, or one built by hand).
    pub fn push(&mut self, unit: Unit) -> UnitId {
        let id = UnitId(self.units.len() as u32);
        self.side_base.push(self.sides);
        self.site_base.push(self.sites);
        self.function_base.push(self.functions);
        self.sides += unit.sides.len() as u32;
        self.sites += unit.sites.len() as u32;
        self.functions += unit.functions.len() as u32;
        self.units.push(unit);
        self.details.push(None);
        id
    }

    /// Appends the units of another object, with all that is known of them.
    pub fn append(&mut self, other: Program) {
        for (unit, details) in other.units.into_iter().zip(other.details) {
            let id = self.push(unit);
            self.details[id.index()] = details;
        }
    }

    pub fn units(&self) -> impl Iterator<Item = (UnitId, &Unit)> {
        self.units.iter().enumerate().map(|(i, u)| (UnitId(i as u32), u))
    }

    pub fn unit(&self, id: UnitId) -> &Unit {
        &self.units[id.index()]
    }

    pub fn unit_by_hash(&self, hash: u64) -> Option<UnitId> {
        self.units.iter().position(|u| u.hash == hash).map(|i| UnitId(i as u32))
    }

    pub fn side_count(&self) -> usize {
        self.sides as usize
    }

    pub fn site_count(&self) -> usize {
        self.sites as usize
    }

    pub fn function_count(&self) -> usize {
        self.functions as usize
    }

    pub fn side_id(&self, unit: UnitId, local: u32) -> SideId {
        SideId(self.side_base[unit.index()] + local)
    }

    pub fn site_id(&self, unit: UnitId, local: u32) -> SiteId {
        SiteId(self.site_base[unit.index()] + local)
    }

    pub fn function_id(&self, unit: UnitId, local: u32) -> FunctionId {
        FunctionId(self.function_base[unit.index()] + local)
    }

    pub fn side(&self, id: SideId) -> (UnitId, &Side) {
        let (unit, local) = find(&self.side_base, id.0);
        (unit, &self.units[unit.index()].sides[local])
    }

    pub fn site(&self, id: SiteId) -> (UnitId, &Site) {
        let (unit, local) = find(&self.site_base, id.0);
        (unit, &self.units[unit.index()].sites[local])
    }

    pub fn function(&self, id: FunctionId) -> (UnitId, &Function) {
        let (unit, local) = find(&self.function_base, id.0);
        (unit, &self.units[unit.index()].functions[local])
    }

    /// The source side that goes with an outcome of a site, if there is one.
    pub fn side_of(&self, site: SiteId, outcome: usize) -> Option<SideId> {
        if site.index() >= self.site_count() {
            return None;
        }
        let (unit, site) = self.site(site);
        site.sides.get(outcome).copied().flatten().map(|local| self.side_id(unit, local))
    }

    /// The function a side belongs to.
    pub fn function_of(&self, id: SideId) -> FunctionId {
        let (unit, side) = self.side(id);
        self.function_id(unit, side.function)
    }

    /// The number of the block that a side leads to, in its function; `None` where the model does not say.
    pub fn successor(&self, id: SideId) -> Option<u32> {
        let (unit, local) = find(&self.side_base, id.0);
        let unit = &self.units[unit.index()];
        let side = &unit.sides[local];
        let block = unit.functions.get(side.function as usize)?.blocks.get(side.block as usize)?;
        let way = block.sides.iter().position(|&s| s == Some(local as u32))?;
        block.successors.get(way).copied()
    }

    /// All sides that count as the user's own code, in order.
    pub fn counted_sides(&self) -> impl Iterator<Item = (SideId, UnitId, &Side)> {
        self.units().filter(|(_, u)| !u.model).flat_map(move |(id, unit)| {
            let base = self.side_base[id.index()];
            let own = |s: &Side| s.counts() && unit.is_own(s.location);
            unit.sides
                .iter()
                .enumerate()
                .filter(move |(_, s)| own(s))
                .map(move |(i, s)| (SideId(base + i as u32), id, s))
        })
    }

    /// `file:line` of a location in a unit, for people.
    pub fn place(&self, unit: UnitId, location: crate::Location) -> String {
        let unit = self.unit(unit);
        let file = unit.files.get(location.file as usize).map_or(unit.path.as_str(), |f| f.as_str());
        format!("{file}:{}", location.line)
    }
}

/// The pieces of a section of ours: each behind its length, with zeros between them from the linker.
fn each_piece(data: &[u8], mut with: impl FnMut(&[u8]) -> Result<(), LoadError>) -> Result<(), LoadError> {
    let mut rest = data;
    while let Some((length, behind)) = rest.split_first_chunk::<8>() {
        let length = u64::from_le_bytes(*length) as usize;
        rest = behind;
        if length == 0 {
            continue;
        }
        let piece = rest.get(..length).ok_or_else(|| LoadError::Unreadable("a unit is cut short".into()))?;
        with(piece)?;
        rest = &rest[length.next_multiple_of(8).min(rest.len())..];
    }
    Ok(())
}

/// The unit whose range holds `id`, and the position inside it. Units may be empty.
fn find(bases: &[u32], id: u32) -> (UnitId, usize) {
    let unit = bases.partition_point(|&b| b <= id) - 1;
    (UnitId(unit as u32), (id - bases[unit]) as usize)
}
