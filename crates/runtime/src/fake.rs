//! For tests: an engine's memory in this process, and a run that has just begun. One test at a time, since
//! the state of the runtime is one.

use crate::state::{STATE, block, header};
use crate::{gate, nodes, shadow, sys};
use std::sync::{Mutex, MutexGuard};
use symcrete_abi::layout::{Event, LostEntry, Region};
use symcrete_abi::{Header, Lost, MAGIC, Packed, PackedEvent, VERSION, Wide};

static ONE: Mutex<()> = Mutex::new(());

pub struct Run {
    _one: MutexGuard<'static, ()>,
    base: u64,
}

const SIZE: u64 = 1 << 26;
pub const NODES: u64 = 40_000;

impl Run {
    pub fn begin() -> Run {
        let one = ONE.lock().unwrap_or_else(|e| e.into_inner());
        let base = sys::pages(0, SIZE, 0);
        assert!(base > 0);
        let mut at = 4096;
        let mut part = |size: u64| {
            let region = Region { at, size };
            at += size.next_multiple_of(4096);
            region
        };
        // SAFETY: fresh zero pages.
        let h = unsafe { &mut *(base as *mut Header) };
        h.magic = MAGIC;
        h.version = VERSION;
        h.header_size = size_of::<Header>() as u32;
        h.sources = part(4096);
        h.input = part(1 << 16);
        h.log = part(1 << 16);
        h.units = part(4096);
        h.marks = part(1 << 16);
        h.seen = part(1 << 16);
        h.sides = part(1 << 16);
        h.lost = part(64 * size_of::<LostEntry>() as u64);
        h.events = part(1000 * size_of::<PackedEvent>() as u64);
        h.nodes = part(NODES * size_of::<Packed>() as u64);
        h.wide = part(NODES * size_of::<Wide>() as u64);
        h.tables = part(1 << 20);
        h.node_count = 1;
        assert!(at <= SIZE);
        STATE.header.set(base as *mut Header);
        STATE.events.prepare(base as *mut u8, h.events, u32::MAX);
        nodes::prepare(base as *mut u8, h.nodes, h.wide);
        crate::tables::prepare();
        STATE.region_budget.set(crate::regions::BUDGET);
        shadow::map();
        *block() = symcrete_abi::functions::Block {
            stamp: 0,
            count: 0,
            floats: 0,
            arguments: [0; 64],
            values: [0; 64],
            result_stamp: 0,
            results: [0; 16],
        };
        gate::open();
        Run { _one: one, base: base as u64 }
    }

    pub fn header(&self) -> &'static mut Header {
        header().unwrap()
    }

    pub fn region(&self, pick: impl Fn(&Header) -> Region) -> &'static mut [u8] {
        let region = pick(self.header());
        // SAFETY: inside the pages of this run, which are never unmapped.
        unsafe { std::slice::from_raw_parts_mut((self.base + region.at) as *mut u8, region.size as usize) }
    }

    pub fn events(&self) -> Vec<Event> {
        let n = self.header().event_count as usize;
        // SAFETY: that many were written.
        unsafe { std::slice::from_raw_parts(STATE.events.at(0), n) }.iter().map(|e| e.unpack()).collect()
    }

    pub fn node_count(&self) -> u32 {
        self.header().node_count
    }

    /// How often `what` was lost, at any site.
    pub fn lost(&self, what: Lost) -> u64 {
        let bytes = self.region(|h| h.lost);
        // SAFETY: the table consists of such entries.
        let entries = unsafe { std::slice::from_raw_parts(bytes.as_ptr().cast::<LostEntry>(), 64) };
        entries.iter().filter(|e| e.what == what as u32).map(|e| e.count).sum()
    }
}

impl Drop for Run {
    fn drop(&mut self) {
        STATE.tracing.set(false);
        STATE.header.set(std::ptr::null_mut());
    }
}

/// Value of a node computed from the values of its operands, independently of what was recorded.
pub fn evaluate(label: u32) -> u128 {
    use symcrete_abi::Op;
    let node = nodes::get(label);
    let width = node.width as u32;
    let mask = nodes::mask(width);
    let v = evaluate;
    let w = |l: u32| nodes::get(l).width as u32;
    let signed = |l: u32| {
        let shift = 128 - w(l);
        (v(l) << shift) as i128 >> shift
    };
    let (a, b, c) = (node.a, node.b, nodes::third(label));
    let value = match Op::from_u8(node.op).unwrap() {
        Op::Const | Op::Input | Op::Length => nodes::value(label),
        Op::Add => v(a).wrapping_add(v(b)),
        Op::Sub => v(a).wrapping_sub(v(b)),
        Op::Mul => v(a).wrapping_mul(v(b)),
        Op::And => v(a) & v(b),
        Op::Or => v(a) | v(b),
        Op::Xor => v(a) ^ v(b),
        Op::Shl => v(a) << v(b),
        Op::LShr => v(a) >> v(b),
        Op::AShr => (signed(a) >> v(b)) as u128,
        Op::UDiv => v(a) / v(b),
        Op::Eq => (v(a) == v(b)) as u128,
        Op::Ne => (v(a) != v(b)) as u128,
        Op::Ult | Op::UltSame => (v(a) < v(b)) as u128,
        Op::Slt => (signed(a) < signed(b)) as u128,
        Op::Sle => (signed(a) <= signed(b)) as u128,
        Op::ZExt => v(a),
        Op::SExt => signed(a) as u128,
        Op::Extract => v(a) >> b,
        Op::Concat => v(a) << w(b) | v(b),
        Op::Table => crate::tables::entry(b, v(a)) as u128,
        Op::Ule | Op::UleSame => (v(a) <= v(b)) as u128,
        Op::URem => v(a) % v(b),
        Op::Select => {
            if v(a) == 1 {
                v(b)
            } else {
                v(c)
            }
        }
        other => panic!("{} is not evaluated here", other.name()),
    };
    value & mask
}

/// Every node evaluates to its recorded value, and operands come before their users.
pub fn verify(run: &Run) {
    for label in 1..run.node_count() {
        assert_eq!(evaluate(label), nodes::value(label), "node {label}: {:?}", nodes::get(label));
        let node = nodes::get(label);
        let op = symcrete_abi::Op::from_u8(node.op).unwrap();
        let operands = [node.a, node.b, nodes::third(label)];
        assert!(operands[..op.operands()].iter().all(|&o| o > 0 && o < label));
    }
}
