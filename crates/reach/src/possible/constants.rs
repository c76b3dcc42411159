//! Constants, and what variables begin with.

use super::Work;
use super::memory::Kind;
use super::set::{ObjectId, Offset, Set};
use crate::code::{GlobalId, width};
use symcrete_program::UnitId;
use symcrete_program::code::{Constant, ConstantId, TypeId, TypeKind, UnitCode};

impl<'a> Work<'_, 'a> {
    pub(super) fn constant(&mut self, unit: UnitId, code: &'a UnitCode, id: ConstantId) -> Set {
        match &code.constants[id as usize] {
            Constant::Int(_, value) => Set::number(*value),
            Constant::Float(ty, bits) if width(code, *ty).is_some() => Set::number(u128::from(*bits)),
            Constant::Null(ty) if width(code, *ty).is_some() => Set::number(0),
            Constant::Null(_) | Constant::Float(..) | Constant::Undefined(_) | Constant::Bytes(..) => Set::any(),
            Constant::Elements(_, list) => {
                let mut all = Set::any();
                for element in list {
                    all.join(&self.constant(unit, code, *element).mixed());
                }
                all
            }
            Constant::Global(number) => {
                let id = self.code.global(unit, *number);
                let object = self.global(id);
                self.named(object, self.code.globals[id.0 as usize].initial.is_none())
            }
            Constant::Function(symbol) => {
                let name = &code.symbols[*symbol as usize];
                let kind = match self.code.by_name_owned(unit, name) {
                    Some(function) => Kind::Function(function),
                    None => Kind::External(name.clone()),
                };
                let elsewhere = matches!(kind, Kind::External(_));
                let object = self.memory.find(&kind).unwrap_or_else(|| self.memory.add(kind, Some(1)));
                self.named(object, elsewhere)
            }
            Constant::Offset(base, by) => {
                let mut base = self.constant(unit, code, *base);
                base.places.iter_mut().for_each(|(_, offset)| *offset = offset.moved(*by));
                base
            }
            Constant::Cast(symcrete_program::code::Cast::Bits, _, inner) => self.constant(unit, code, *inner),
            Constant::Cast(_, _, inner) => self.constant(unit, code, *inner).mixed(),
            Constant::Binary(_, _, a, b) => {
                let mut all = self.constant(unit, code, *a).mixed();
                all.join(&self.constant(unit, code, *b).mixed());
                all
            }
            Constant::Other(..) => Set::top(),
        }
    }

    /// The address of what has a name; of something that is defined elsewhere it may be 0, when it is missing and weak.
    pub(super) fn named(&self, object: ObjectId, elsewhere: bool) -> Set {
        let mut set = Set::place(object, Offset::new(0, 0));
        if elsewhere {
            set.join(&Set::number(0));
        }
        set
    }

    pub(super) fn global(&mut self, id: GlobalId) -> ObjectId {
        if let Some(known) = self.memory.find(&Kind::Global(id)) {
            return known;
        }
        let global = &self.code.globals[id.0 as usize];
        let (initial, unit) = (global.initial, global.unit);
        let object = self.memory.add(Kind::Global(id), initial.map(|_| global.size));
        let found = initial.zip(self.code.program.details(unit).and_then(|details| details.code()));
        match found {
            Some((initial, code)) => {
                let ty = crate::code::constant_type(code, initial);
                self.fill(object, unit, code, initial, ty, Offset::new(0, 0));
            }
            // Defined by somebody else.
            None => self.escape_object(object),
        }
        if self.foreign && !self.code.globals[id.0 as usize].internal {
            self.escape_object(object);
        }
        object
    }

    /// What a variable begins with.
    pub(super) fn fill(
        &mut self,
        object: ObjectId,
        unit: UnitId,
        code: &'a UnitCode,
        id: ConstantId,
        ty: Option<TypeId>,
        at: Offset,
    ) {
        /// Elements that have cells of their own.
        const EACH: usize = 64;
        match (&code.constants[id as usize], ty.map(|ty| &code.types[ty as usize].kind)) {
            (Constant::Null(_), _) => self.memory.of_mut(object).zero = true,
            (Constant::Undefined(_), _) => self.memory.of_mut(object).numbers = true,
            (Constant::Elements(_, list), Some(TypeKind::Struct(fields))) => {
                // Room between fields is zero.
                self.memory.of_mut(object).zero = true;
                for (element, (field, offset)) in list.iter().zip(fields) {
                    self.fill(object, unit, code, *element, Some(*field), at.moved(*offset as i64));
                }
            }
            (Constant::Elements(_, list), Some(TypeKind::Array(element, _) | TypeKind::Vector(element, _))) => {
                let size = code.types[*element as usize].size;
                for (number, part) in list.iter().enumerate() {
                    let at = if list.len() > EACH { at.in_steps(size) } else { at.moved(number as i64 * size as i64) };
                    self.fill(object, unit, code, *part, Some(*element), at);
                }
            }
            (Constant::Bytes(_, bytes), _) if bytes.len() <= EACH => {
                for (number, byte) in bytes.iter().enumerate() {
                    let set = Set::number(u128::from(*byte));
                    self.memory.of_mut(object).store(at.moved(number as i64), 1, &set);
                }
            }
            (Constant::Bytes(_, bytes), _) => {
                let set = Set::few(bytes.iter().map(|byte| u128::from(*byte)).collect());
                self.memory.of_mut(object).store(at.in_steps(1), 1, &set);
            }
            (_, ty) => {
                let scalar =
                    ty.is_none_or(|kind| matches!(kind, TypeKind::Pointer | TypeKind::Int(_) | TypeKind::Float(_)));
                let set = self.constant(unit, code, id);
                let size = crate::code::constant_type(code, id).map_or(8, |ty| code.types[ty as usize].size);
                let set = if scalar { set } else { set.mixed() };
                self.memory.of_mut(object).store(at, size, &set);
            }
        }
    }
}
