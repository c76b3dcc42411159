//! Runs segment programs: one call from a slow block rebuilds all labels of its segment.

use crate::operations::Bits;
use crate::regions::{Access, Done, Object};
use crate::{events, gate, labels, memory, operations, regions, shadow};
use core::mem::MaybeUninit;
use symcrete_abi::segment::{Code, NONE};
use symcrete_abi::{Label, Op};

/// Runs one program over the frame of its segment.
///
/// # Safety
/// `program` begins with the distance to its unit's site base, ends with `End` and names slots of `frame` only.
#[inline(always)]
pub unsafe fn run(program: *const u32, frame: *mut u64) {
    let mut mark = MaybeUninit::uninit();
    // SAFETY: as the caller promises; the distance is signed.
    let (at, base) = unsafe { (program.add(1), *program.byte_offset(*program as i32 as isize)) };
    // Nothing outside sees the machine: it lives in registers.
    let machine = Machine { at, frame, base, object: None };
    if gate::enter(&mut mark) {
        machine.run();
        gate::leave();
    } else {
        machine.forget();
    }
}

#[derive(Clone, Copy)]
struct Machine {
    at: *const u32,
    frame: *mut u64,
    base: u32,
    /// What the next access is known to be meant for.
    object: Option<Object>,
}

/// Stores of one segment that an access at an input-dependent address looks at.
const MOST_DONE: usize = 16;
const NOT_DONE: Done = Done { at: 0, size: 0, before: None };

/// A label and the value it goes with.
struct Operand<B> {
    label: Label,
    value: B,
}

/// Whether an instruction with this last byte ends its program.
fn ends(code: Code, z: u8) -> bool {
    matches!(code, Code::Test | Code::TestConstant) && z != 0
}

impl Machine {
    #[inline(always)]
    fn next(&mut self) -> u32 {
        // SAFETY: programs end with `End`; `run` reads just the words of each instruction.
        unsafe {
            let word = *self.at;
            self.at = self.at.add(1);
            word
        }
    }

    #[inline(always)]
    fn slot(&self, index: u32) -> u64 {
        // SAFETY: the pass gave the frame as many slots as its programs name.
        unsafe { *self.frame.add(index as usize) }
    }

    #[inline(always)]
    fn label(&self, slot: u32) -> Label {
        if slot as u16 == NONE { 0 } else { self.slot(slot & 0xffff) as u32 }
    }

    #[inline(always)]
    fn set(&mut self, slot: u32, label: Label) {
        // SAFETY: as in `slot`.
        unsafe { *self.frame.add((slot & 0xffff) as usize) = label as u64 }
    }

    /// The value a reference names, of at most 64 bits.
    #[inline(always)]
    fn value(&mut self, reference: u32) -> u64 {
        let slot = reference >> 16;
        if slot as u16 == NONE {
            let low = self.next() as u64;
            return low | (self.next() as u64) << 32;
        }
        self.slot(slot)
    }

    fn wide_value(&mut self, reference: u32) -> u128 {
        let slot = reference >> 16;
        if slot as u16 == NONE {
            let low = self.value(reference);
            return low as u128 | (self.value(reference) as u128) << 64;
        }
        self.slot(slot) as u128 | (self.slot(slot + 1) as u128) << 64
    }

    #[inline(always)]
    fn operand(&mut self) -> Operand<u64> {
        let reference = self.next();
        Operand { label: self.label(reference), value: self.value(reference) }
    }

    fn wide_operand(&mut self) -> Operand<u128> {
        let reference = self.next();
        Operand { label: self.label(reference), value: self.wide_value(reference) }
    }

    /// An operation on a labelled value and a constant: where its label goes, the label, the result.
    #[inline(always)]
    fn with_constant<const DECIDED: bool>(&mut self, op: u8, width: u8) -> (u32, Label, u64) {
        let [to, a, _, low, high] = [self.next(), self.next(), self.next(), self.next(), self.next()];
        let result = self.slot(to >> 16);
        let mut label = self.slot(a & 0xffff) as u32;
        if label != 0 {
            let constant = low as u64 | (high as u64) << 32;
            let value = self.slot(a >> 16);
            label = match Op::from_u8(op) {
                Some(op) if DECIDED => operations::decided(op, width as u32, label, 0, value, constant, result),
                Some(op) => operations::two(op, width as u32, label, 0, value, constant, result),
                None => 0,
            };
        }
        (to, label, result)
    }

    #[inline(always)]
    fn site(&mut self) -> u32 {
        self.base + self.next()
    }

    #[inline(always)]
    fn run(mut self) {
        loop {
            let [code, x, y, z] = self.next().to_le_bytes();
            let Some(code) = Code::from_u8(code) else { return };
            match code {
                Code::End => return,
                Code::TestConstant => {
                    let (to, label, result) = self.with_constant::<true>(x, y);
                    let site = self.site();
                    self.set(to, label);
                    if label != 0 {
                        events::branch(label, site, result & 1 != 0);
                    }
                    if z != 0 {
                        return;
                    }
                }
                Code::Constant => {
                    let (to, label, _) = self.with_constant::<false>(x, y);
                    self.set(to, label);
                }
                Code::Binary => {
                    let to = self.next();
                    let result = self.value(to);
                    let (a, b) = (self.operand(), self.operand());
                    let mut label = 0;
                    if a.label | b.label != 0
                        && let Some(op) = Op::from_u8(x)
                    {
                        label = operations::two(op, y as u32, a.label, b.label, a.value, b.value, result);
                    }
                    self.set(to, label);
                }
                Code::Test => {
                    let to = self.next();
                    let result = self.value(to);
                    let (a, b) = (self.operand(), self.operand());
                    let site = self.site();
                    let mut label = 0;
                    if a.label | b.label != 0
                        && let Some(op) = Op::from_u8(x)
                    {
                        label = operations::decided(op, y as u32, a.label, b.label, a.value, b.value, result);
                        events::branch(label, site, result & 1 != 0);
                    }
                    self.set(to, label);
                    if z != 0 {
                        return;
                    }
                }
                Code::Read => {
                    let [to, pointer] = [self.next(), self.next()];
                    let site = self.site();
                    let value = self.slot(to >> 16) & u64::mask(8 * x as u32);
                    let label = memory::load(self.slot(pointer >> 16), x as u32, 0, site, value);
                    self.object = None;
                    self.set(to, label);
                }
                Code::Unary => {
                    let to = self.next();
                    let result = self.value(to);
                    let a = self.operand();
                    let mut label = 0;
                    if a.label != 0
                        && let Some(op) = Op::from_u8(x)
                    {
                        label = operations::one(op, y as u32, z as u32, a.label, a.value, 0, result);
                    }
                    self.set(to, label);
                }
                Code::Wide => {
                    let to = self.next();
                    let result = self.wide_value(to);
                    let (a, b, c) = (self.wide_operand(), self.wide_operand(), self.wide_operand());
                    let mut label = 0;
                    if a.label | b.label | c.label != 0
                        && let Some(op) = Op::from_u8(x)
                    {
                        let values = [a.value, b.value, c.value, result];
                        label = operations::wide(op, y as u32, z as u32, [a.label, b.label, c.label], values);
                    }
                    self.set(to, label);
                }
                Code::Load => {
                    let to = self.next();
                    let label = if x > 8 {
                        let value = self.wide_value(to) & u128::mask(8 * x as u32);
                        let (pointer, site) = (self.operand(), self.site());
                        match pointer.label {
                            0 => memory::load(pointer.value, x as u32, 0, site, value),
                            label => self.load_anywhere(pointer.value, x as u32, label, site, value, y != 0),
                        }
                    } else {
                        let value = self.value(to) & u64::mask(8 * x as u32);
                        let (pointer, site) = (self.operand(), self.site());
                        match pointer.label {
                            0 => memory::load(pointer.value, x as u32, 0, site, value),
                            label => self.load_anywhere(pointer.value, x as u32, label, site, value.wide(), y != 0),
                        }
                    };
                    self.object = None;
                    self.set(to, label);
                }
                Code::Store => {
                    let stored = self.next();
                    let stored = self.label(stored);
                    let before = (y != 0).then(|| self.operand().value);
                    let pointer = self.operand();
                    let site = self.site();
                    let at = pointer.value;
                    match pointer.label {
                        0 => memory::store(at, x as u32, stored, 0, site),
                        label => self.store_anywhere(at, x as u32, label, site, stored, before),
                    }
                    self.object = None;
                }
                Code::Branch => {
                    let condition = self.operand();
                    let site = self.site();
                    if condition.label != 0 {
                        events::branch(condition.label, site, condition.value & 1 != 0);
                    }
                }
                Code::Switch => {
                    let word = self.next();
                    let label = self.label(word);
                    let site = self.site();
                    if label != 0 {
                        events::switch(label, site);
                    }
                }
                Code::Lost => {
                    let site = self.site();
                    let mut any = 0;
                    for _ in 0..y {
                        let word = self.next();
                        any |= self.label(word);
                    }
                    if any != 0 {
                        events::lost(x as u32, site);
                    }
                }
                Code::Pick => {
                    let to = self.next();
                    let condition = self.value(to);
                    let pair = self.next();
                    let label = if condition & 1 != 0 { self.label(pair) } else { self.label(pair >> 16) };
                    self.set(to, label);
                }
                Code::Keep => {
                    let to = self.next();
                    let condition = self.value(to);
                    let word = self.next();
                    let label = self.label(word);
                    let site = self.site();
                    let kept = if condition & 1 != 0 { label } else { 0 };
                    if label != kept {
                        events::lost(x as u32, site);
                    }
                    self.set(to, kept);
                }
                Code::Native => {
                    let to = self.next();
                    let result = self.value(to) as u128;
                    let a = self.operand();
                    let b = if x == 2 { self.operand() } else { Operand { label: 0, value: 0 } };
                    let values = [a.value as u128, b.value as u128];
                    let label = operations::native(y as u32, [a.label, b.label], values, result);
                    self.set(to, label);
                }
                Code::Object => {
                    let pointer = self.operand();
                    let size = self.next() as u64;
                    self.object = Some(Object { at: pointer.value, size });
                }
                Code::Clear => {
                    let pointer = self.operand();
                    let size = self.next() as u64;
                    self.next();
                    if shadow::covers(pointer.value, size) {
                        labels::clear(pointer.value, size);
                    }
                }
            }
        }
    }

    /// A load at an address that depends on input.
    #[cold]
    #[inline(never)]
    fn load_anywhere(self, at: u64, size: u32, pointer: Label, site: u32, loaded: u128, fixed: bool) -> Label {
        let Some(pointer) = memory::pointer(pointer, at, site) else {
            return memory::load(at, size, 0, site, loaded);
        };
        let mut done = [NOT_DONE; MOST_DONE];
        if !fixed && let Some(count) = self.done_since(&mut done) {
            let done = &done[..count];
            let access = Access { at, size, pointer, site, object: self.object, done };
            if let Some(label) = regions::load(&access, loaded as u64) {
                return label;
            }
        }
        memory::load(at, size, pointer, site, loaded)
    }

    #[cold]
    #[inline(never)]
    fn store_anywhere(self, at: u64, size: u32, pointer: Label, site: u32, stored: Label, before: Option<u64>) {
        let Some(pointer) = memory::pointer(pointer, at, site) else {
            return memory::store(at, size, stored, 0, site);
        };
        let stored = memory::fitting(stored, size, site);
        let mut done = [NOT_DONE; MOST_DONE];
        if let Some(before) = before
            && let Some(count) = self.done_since(&mut done)
        {
            let access = Access { at, size, pointer, site, object: self.object, done: &done[..count] };
            if regions::store(&access, stored, before & crate::nodes::mask(8 * size) as u64) {
                return;
            }
        }
        memory::store(at, size, stored, pointer, site);
    }

    /// The stores of the segment that come after the instruction at hand, all done by now; how many. None when
    /// they are too many to look at.
    fn done_since(&self, done: &mut [Done; MOST_DONE]) -> Option<usize> {
        let mut ahead = *self;
        let mut count = 0;
        loop {
            let [code, x, y, z] = ahead.next().to_le_bytes();
            let Some(code) = Code::from_u8(code).filter(|&code| code != Code::End) else { return Some(count) };
            if code != Code::Store {
                ahead.skip(code, x, y, false);
                if ends(code, z) {
                    return Some(count);
                }
                continue;
            }
            ahead.next();
            let before = (y != 0).then(|| ahead.operand().value);
            let at = ahead.operand().value;
            ahead.next();
            *done.get_mut(count)? = Done { at, size: x as u32, before };
            count += 1;
        }
    }

    /// The runtime was busy (a signal handler of the target): every result is unlabelled.
    #[cold]
    #[inline(never)]
    fn forget(mut self) {
        loop {
            let [code, x, y, z] = self.next().to_le_bytes();
            let Some(code) = Code::from_u8(code).filter(|&code| code != Code::End) else { return };
            self.skip(code, x, y, true);
            if ends(code, z) {
                return;
            }
        }
    }

    /// Goes past an instruction whose first word was read; its result, if it has one, becomes unlabelled.
    fn skip(&mut self, code: Code, x: u8, y: u8, clear: bool) {
        let (writes, narrow, wide, words) = match code {
            Code::End => return,
            Code::Binary | Code::Constant => (true, 2, 0, 0),
            Code::Test | Code::TestConstant => (true, 2, 0, 1),
            Code::Unary => (true, 1, 0, 0),
            Code::Wide => (true, 0, 3, 0),
            Code::Load | Code::Read => (true, 1, 0, 1),
            Code::Store => {
                self.next();
                (false, 1 + (y != 0) as u32, 0, 1)
            }
            Code::Branch => (false, 1, 0, 1),
            Code::Switch => (false, 0, 0, 2),
            Code::Lost => (false, 0, 0, 1 + y as u32),
            Code::Pick => (true, 0, 0, 1),
            Code::Keep => (true, 0, 0, 2),
            Code::Clear => (false, 1, 0, 2),
            Code::Object => (false, 1, 0, 1),
            Code::Native => (true, x as u32, 0, 0),
        };
        if writes {
            let to = self.next();
            if code == Code::Wide || (code == Code::Load && x > 8) {
                self.wide_value(to);
            } else {
                self.value(to);
            }
            if clear {
                self.set(to, 0);
            }
        }
        (0..narrow).for_each(|_| {
            self.operand();
        });
        (0..wide).for_each(|_| {
            self.wide_operand();
        });
        (0..words).for_each(|_| {
            self.next();
        });
    }
}
