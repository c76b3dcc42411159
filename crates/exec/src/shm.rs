//! The engine's side of the shared memory. The target is hostile and may write anything at any time:
//! every access is bounds-checked against capacities kept here, every count is clamped, and nothing is
//! ever borrowed from the memory itself, only copied out.

use crate::input::{EncodeError, Input};
use crate::source::SourceSpec;
use std::io;
use std::mem::offset_of;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU32, Ordering};
use symcrete_abi::input::Source;
use symcrete_abi::layout::{
    Header, LostEntry, NOVEL_MAX, PAGE, Packed, PackedEvent, Region, Table, UnitEntry, Wide, flags,
};
use symcrete_abi::{MAGIC, VERSION};

/// How much room each region has. Memory is taken only as far as it is touched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Capacities {
    pub nodes: usize,
    pub events: usize,
    pub units: usize,
    pub lost: usize,
    pub sources: usize,
    /// Bytes each of the marks, seen and sides regions.
    pub marks: usize,
    pub input: usize,
    pub log: usize,
    pub tables: usize,
    /// Words of a full path.
    pub path: usize,
}

impl Default for Capacities {
    fn default() -> Capacities {
        Capacities {
            nodes: 4 << 20,
            events: 4 << 20,
            units: 1 << 15,
            lost: 1 << 13,
            sources: 256,
            marks: 16 << 20,
            input: 16 << 20,
            log: 16 << 20,
            tables: 16 << 20,
            // Up to 33 million decisions: a longer run goes round something, and to follow it takes seconds.
            path: 1 << 19,
        }
    }
}

/// Types that are nothing but bytes: any content is a value.
///
/// # Safety
/// No padding that matters, no pointers, no niches.
pub(crate) unsafe trait Plain: Copy {}
// SAFETY: structures of integers.
unsafe impl Plain for Packed {}
// SAFETY: as above.
unsafe impl Plain for Wide {}
// SAFETY: as above.
unsafe impl Plain for PackedEvent {}
// SAFETY: as above.
unsafe impl Plain for UnitEntry {}
// SAFETY: as above.
unsafe impl Plain for LostEntry {}
// SAFETY: as above.
unsafe impl Plain for Table {}
// SAFETY: as above.
unsafe impl Plain for Source {}
// SAFETY: as above.
unsafe impl Plain for Header {}
// SAFETY: an integer.
unsafe impl Plain for u32 {}
// SAFETY: an integer.
unsafe impl Plain for u64 {}

/// Which part of the memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Part {
    at: usize,
    size: usize,
}

/// One mapping. Invariant: all parts lie inside `length` bytes from `base`, and the file behind it is
/// sealed, so that no target can shrink it under us.
pub struct Shm {
    base: NonNull<u8>,
    length: usize,
    fd: OwnedFd,
    capacities: Capacities,
    pub(crate) sources: Part,
    pub(crate) input: Part,
    pub(crate) log: Part,
    pub(crate) units: Part,
    pub(crate) marks: Part,
    pub(crate) seen: Part,
    pub(crate) sides: Part,
    pub(crate) lost: Part,
    pub(crate) events: Part,
    pub(crate) nodes: Part,
    pub(crate) tables: Part,
    pub(crate) wide: Part,
    pub(crate) path: Part,
    known: Part,
    cells: Part,
    /// Values offered to walks so far.
    offered: usize,
    /// The last run was asked for its full path.
    recorded: bool,
    source_count: usize,
}

// SAFETY: the mapping is owned by this value alone and lives as long as it; access goes through `&self`
// with volatile copies, which any thread may do.
unsafe impl Send for Shm {}

macro_rules! header {
    ($shm:expr, $field:ident) => {
        $shm.header_u32(offset_of!(Header, $field))
    };
}

impl Shm {
    pub fn new(capacities: Capacities, sources: &[SourceSpec]) -> io::Result<Shm> {
        let mut end = PAGE as usize;
        let mut part = |size: usize| {
            let at = end;
            end += size.next_multiple_of(PAGE as usize);
            Part { at, size }
        };
        let record = part(capacities.sources * size_of::<Source>());
        let input = part(capacities.input);
        let log = part(capacities.log);
        let units = part(capacities.units * size_of::<UnitEntry>());
        let marks = part(capacities.marks.next_multiple_of(PAGE as usize));
        let seen = part(capacities.marks.next_multiple_of(PAGE as usize));
        let sides = part(capacities.marks.next_multiple_of(PAGE as usize));
        let lost = part(capacities.lost * size_of::<LostEntry>());
        let events = part(capacities.events * size_of::<PackedEvent>());
        let nodes = part(capacities.nodes * size_of::<Packed>());
        let wide = part(capacities.nodes * size_of::<Wide>());
        let tables = part(capacities.tables.next_multiple_of(8));
        let path = part((8 * capacities.path).next_multiple_of(PAGE as usize));
        let known = part(capacities.marks.next_multiple_of(PAGE as usize));
        let cells = part(symcrete_abi::cells::SIZE);
        let (fd, base) = map(end)?;
        let mut shm = Shm {
            base,
            length: end,
            fd,
            capacities,
            sources: record,
            input,
            log,
            units,
            marks,
            seen,
            sides,
            lost,
            events,
            nodes,
            tables,
            wide,
            path,
            known,
            cells,
            offered: 0,
            recorded: false,
            source_count: 0,
        };
        shm.write_header();
        shm.declare(sources);
        Ok(shm)
    }

    /// A second descriptor of the memory, to be handed to a target.
    pub fn fd(&self) -> io::Result<OwnedFd> {
        self.fd.try_clone()
    }

    pub fn capacities(&self) -> &Capacities {
        &self.capacities
    }

    pub fn source_count(&self) -> usize {
        self.source_count
    }

    /// What the engine says before the target starts. Everything else is zero.
    fn write_header(&mut self) {
        let region = |part: Part| Region { at: part.at as u64, size: part.size as u64 };
        // SAFETY: a header is plain integers; all zero is a value.
        let mut header: Header = unsafe { std::mem::zeroed() };
        header.magic = MAGIC;
        header.version = VERSION;
        header.header_size = size_of::<Header>() as u32;
        header.sources = region(self.sources);
        header.input = region(self.input);
        header.log = region(self.log);
        header.units = region(self.units);
        header.marks = region(self.marks);
        header.seen = region(self.seen);
        header.sides = region(self.sides);
        header.lost = region(self.lost);
        header.events = region(self.events);
        header.nodes = region(self.nodes);
        header.tables = region(self.tables);
        header.wide = region(self.wide);
        header.path = region(self.path);
        header.known = region(self.known);
        header.cells = region(self.cells);
        header.flags = self.flags();
        header.node_count = 1;
        header.source_count = self.source_count as u32;
        self.write_at(0, header);
    }

    /// Before a target starts: whatever an earlier one left is wrong now.
    pub(crate) fn fresh_start(&mut self) {
        self.begin_run();
        self.fill(self.marks, self.marks_used());
        self.fill(self.sides, self.sides_used());
        self.write_header();
    }

    fn declare(&mut self, sources: &[SourceSpec]) {
        let count = sources.len().min(self.capacities.sources);
        for (index, source) in sources.iter().take(count).enumerate() {
            self.write_at(self.sources.at + index * size_of::<Source>(), source.record());
        }
        self.source_count = count;
        self.set_u32(offset_of!(Header, source_count), count as u32);
    }

    pub(crate) fn flags(&self) -> u32 {
        if self.recorded { flags::PATHS } else { 0 }
    }

    /// Asks the next tracking run for its full path, or no longer.
    pub(crate) fn record_path(&mut self, on: bool) {
        self.clear_path();
        self.recorded = on;
        self.set_u32(offset_of!(Header, flags), self.flags());
    }

    /// The words of the last run's full path, and whether there was no room for more. Nothing when it was
    /// not asked for.
    pub(crate) fn path_words(&self) -> Option<(Vec<u64>, bool)> {
        if !self.recorded {
            return None;
        }
        let mut words = Vec::new();
        for page in 0..self.path.size / PAGE as usize {
            let bytes = self.bytes(self.path, page * PAGE as usize, PAGE as usize);
            let (numbers, _) = bytes.as_chunks::<8>();
            let before = words.len();
            words.extend(numbers.iter().map(|n| u64::from_le_bytes(*n)).take_while(|n| *n != 0));
            if words.len() - before < numbers.len() {
                return Some((words, false));
            }
        }
        Some((words, true))
    }

    /// The stream ends with a zero, so what the last run wrote must go.
    fn clear_path(&mut self) {
        if !self.recorded {
            return;
        }
        for page in 0..self.path.size / PAGE as usize {
            let part = Part { at: self.path.at + page * PAGE as usize, size: PAGE as usize };
            if self.read_at::<u64>(part.at) == 0 {
                break;
            }
            self.fill(part, part.size);
        }
    }

    /// Clears what one run writes, so that nothing of an earlier run is taken for this one's even when the
    /// target dies at once. Marks and sides are the fork server's to clear: it knows where they lie.
    pub(crate) fn begin_run(&mut self) {
        self.clear_path();
        self.set_u32(offset_of!(Header, truncated), 0);
        self.set_u32(offset_of!(Header, node_count), 1);
        self.set_u32(offset_of!(Header, wide_count), 0);
        self.set_u32(offset_of!(Header, event_count), 0);
        self.set_u32(offset_of!(Header, tables_used), 0);
        self.set_u32(offset_of!(Header, log_used), 0);
        self.set_u32(offset_of!(Header, request_count), 0);
        self.set_u32(offset_of!(Header, stop), 0);
        self.set_u32(offset_of!(Header, signal), 0);
        self.set_u32(offset_of!(Header, signal_code), 0);
        self.write_at::<u64>(offset_of!(Header, path_tail), 0);
        self.write_at::<u64>(offset_of!(Header, cell), 0);
        self.write_at::<u64>(offset_of!(Header, stream_position), 0);
        self.set_u32(offset_of!(Header, statements), 0);
        self.write_at::<u64>(offset_of!(Header, signal_address), 0);
        self.write_at::<u64>(offset_of!(Header, signal_pc), 0);
        self.write_at::<u64>(offset_of!(Header, signal_sp), 0);
        self.fill(Part { at: offset_of!(Header, check), size: 512 }, 512);
        // A table that nobody counted entries into may still have been scribbled on; reading it clamps.
        if header!(self, lost_count) != 0 {
            self.fill(self.lost, self.lost.size);
            self.set_u32(offset_of!(Header, lost_count), 0);
        }
    }

    pub(crate) fn put_input(&mut self, input: &Input, buffer: &mut Vec<u8>) -> Result<(), EncodeError> {
        let needed = input.encoded_size();
        if needed > self.input.size {
            return Err(EncodeError::TooLarge { needed, capacity: self.input.size });
        }
        buffer.clear();
        input.encode(buffer);
        self.put_bytes(buffer);
        Ok(())
    }

    /// Bytes at the start of the input region; what does not fit is the caller's mistake and is cut.
    pub(crate) fn put_bytes(&mut self, bytes: &[u8]) {
        let size = bytes.len().min(self.input.size);
        // SAFETY: the part lies inside the mapping and `size` inside the part.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), self.base.as_ptr().add(self.input.at), size) };
    }

    // What the target says, clamped to what can be true.

    pub(crate) fn node_count(&self) -> usize {
        (header!(self, node_count) as usize).clamp(1, self.capacities.nodes.max(1))
    }

    pub(crate) fn event_count(&self) -> usize {
        (header!(self, event_count) as usize).min(self.capacities.events)
    }

    pub(crate) fn unit_count(&self) -> usize {
        (header!(self, unit_count) as usize).min(self.capacities.units)
    }

    pub(crate) fn marks_used(&self) -> usize {
        (header!(self, marks_used) as usize).min(self.marks.size)
    }

    pub(crate) fn sides_used(&self) -> usize {
        (header!(self, sides_used) as usize).min(self.sides.size)
    }

    pub(crate) fn log_used(&self) -> usize {
        (header!(self, log_used) as usize).min(self.log.size)
    }

    pub(crate) fn tables_used(&self) -> usize {
        (header!(self, tables_used) as usize).min(self.tables.size)
    }

    pub(crate) fn lost_count(&self) -> usize {
        header!(self, lost_count) as usize
    }

    pub(crate) fn novel(&self) -> Vec<u32> {
        let count = (header!(self, novel_count) as usize).min(NOVEL_MAX);
        let at = offset_of!(Header, novel);
        (0..count).map(|i| self.header_u32(at + 4 * i)).collect()
    }

    pub(crate) fn header(&self) -> Header {
        self.read_at(0)
    }

    pub(crate) fn batch_current(&self) -> u32 {
        header!(self, batch_current)
    }

    pub(crate) fn set_u32(&mut self, at: usize, value: u32) {
        debug_assert!(at + 4 <= self.length && at.is_multiple_of(4));
        // SAFETY: inside the mapping and aligned; the other side may look at the same time.
        unsafe { AtomicU32::from_ptr(self.base.as_ptr().add(at).cast()) }.store(value, Ordering::Release);
    }

    pub(crate) fn set_u64(&mut self, at: usize, value: u64) {
        self.write_at(at, value);
    }

    fn header_u32(&self, at: usize) -> u32 {
        debug_assert!(at + 4 <= PAGE as usize && at.is_multiple_of(4));
        // SAFETY: inside the header page and aligned; the other side may write at the same time.
        unsafe { AtomicU32::from_ptr(self.base.as_ptr().add(at).cast()) }.load(Ordering::Acquire)
    }

    /// Entry `index` of a part that holds records.
    #[inline]
    pub(crate) fn record<T: Plain>(&self, part: Part, index: usize) -> Option<T> {
        let at = index.checked_mul(size_of::<T>())?;
        if at.checked_add(size_of::<T>())? > part.size {
            return None;
        }
        Some(self.read_at(part.at + at))
    }

    /// Copies bytes of a part out; shorter when the part ends before.
    pub(crate) fn copy_out(&self, part: Part, at: usize, to: &mut [u8]) -> usize {
        let size = to.len().min(part.size.saturating_sub(at));
        // SAFETY: inside the part and thus inside the mapping; `to` is ours alone.
        unsafe { std::ptr::copy_nonoverlapping(self.base.as_ptr().add(part.at + at), to.as_mut_ptr(), size) };
        size
    }

    pub(crate) fn bytes(&self, part: Part, at: usize, size: usize) -> Vec<u8> {
        let mut bytes = vec![0; size.min(part.size.saturating_sub(at))];
        self.copy_out(part, at, &mut bytes);
        bytes
    }

    /// Adds the sides of the last run to those that are known.
    pub(crate) fn absorb_sides(&mut self) {
        let words = self.sides_used().div_ceil(8).min(self.sides.size / 8);
        for index in 0..words {
            let pair = (self.record::<u64>(self.sides, index), self.record::<u64>(self.known, index));
            let (Some(sides), Some(known)) = pair else { break };
            if sides & !known != 0 {
                self.write_at(self.known.at + 8 * index, known | sides);
            }
        }
    }

    /// A value that walks may draw; later ones take the places of the first.
    pub(crate) fn offer_value(&mut self, bytes: &[u8]) {
        use symcrete_abi::cells::{MOST_VALUES, VALUE};
        self.offered += usize::from(self.offer::<VALUE>(self.cells.at, self.offered % MOST_VALUES, bytes));
        self.set_u32(self.cells.at, self.offered.min(MOST_VALUES) as u32);
    }

    /// Words that walks may spell.
    pub(crate) fn offer_texts<'a>(&mut self, texts: impl Iterator<Item = &'a [u8]>) {
        use symcrete_abi::cells::{MOST_TEXTS, TEXT, VALUES_SIZE};
        let (part, mut count) = (self.cells.at + VALUES_SIZE, 0);
        for text in texts.take(MOST_TEXTS) {
            count += usize::from(self.offer::<TEXT>(part, count, text));
        }
        self.set_u32(part, count as u32);
    }

    /// An entry of `SIZE` bytes; whether it fits.
    fn offer<const SIZE: usize>(&mut self, part: usize, number: usize, bytes: &[u8]) -> bool {
        if bytes.is_empty() || bytes.len() >= SIZE {
            return false;
        }
        let mut entry = [0; SIZE];
        entry[0] = bytes.len() as u8;
        entry[1..=bytes.len()].copy_from_slice(bytes);
        for (place, word) in entry.as_chunks::<8>().0.iter().enumerate() {
            self.write_at(part + SIZE * (1 + number) + 8 * place, u64::from_le_bytes(*word));
        }
        true
    }

    /// Adds the marks of the last run to those seen before; how many of them are new.
    pub(crate) fn absorb_marks(&mut self) -> usize {
        let words = self.marks_used().div_ceil(8).min(self.marks.size / 8);
        let mut new = 0;
        for index in 0..words {
            let (Some(marks), Some(seen)) =
                (self.record::<u64>(self.marks, index), self.record::<u64>(self.seen, index))
            else {
                break;
            };
            let fresh = marks & !seen;
            if fresh != 0 {
                new += fresh.to_le_bytes().iter().filter(|&&b| b != 0).count();
                self.write_at(self.seen.at + 8 * index, seen | marks);
            }
        }
        new
    }

    /// The marks that were seen so far.
    pub(crate) fn seen(&self) -> Vec<u64> {
        let words = self.marks_used().div_ceil(8).min(self.seen.size / 8);
        (0..words).map_while(|index| self.record(self.seen, index)).collect()
    }

    /// These are the marks that were seen.
    pub(crate) fn put_seen(&mut self, seen: &[u64]) {
        for (index, word) in seen.iter().enumerate().take(self.seen.size / 8) {
            self.write_at(self.seen.at + 8 * index, *word);
        }
    }

    /// Both have seen what either has.
    pub(crate) fn share_seen(&mut self, other: &mut Shm) {
        let words = self.marks_used().max(other.marks_used()).div_ceil(8);
        for index in 0..words.min(self.seen.size / 8).min(other.seen.size / 8) {
            let (Some(mine), Some(theirs)) =
                (self.record::<u64>(self.seen, index), other.record::<u64>(other.seen, index))
            else {
                break;
            };
            if mine != theirs {
                self.write_at(self.seen.at + 8 * index, mine | theirs);
                other.write_at(other.seen.at + 8 * index, mine | theirs);
            }
        }
    }

    #[inline]
    fn read_at<T: Plain>(&self, at: usize) -> T {
        assert!(at + size_of::<T>() <= self.length);
        // SAFETY: inside the mapping; any bytes are a value of a plain type. The target may write at the
        // same time: then the value is garbage, which every reader expects.
        unsafe { self.base.as_ptr().add(at).cast::<T>().read_unaligned() }
    }

    fn write_at<T: Plain>(&mut self, at: usize, value: T) {
        assert!(at + size_of::<T>() <= self.length);
        // SAFETY: inside the mapping.
        unsafe { self.base.as_ptr().add(at).cast::<T>().write_unaligned(value) };
    }

    fn fill(&mut self, part: Part, size: usize) {
        // SAFETY: not more than the part, which lies inside the mapping.
        unsafe { std::ptr::write_bytes(self.base.as_ptr().add(part.at), 0, size.min(part.size)) };
    }

    #[cfg(test)]
    pub(crate) fn scribble(&mut self, part: Part, at: usize, bytes: &[u8]) {
        let size = bytes.len().min(part.size.saturating_sub(at));
        // SAFETY: inside the part.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), self.base.as_ptr().add(part.at + at), size) };
    }

    #[cfg(test)]
    pub(crate) fn whole_header(&self) -> Part {
        Part { at: 0, size: size_of::<Header>() }
    }
}

impl Drop for Shm {
    fn drop(&mut self) {
        // SAFETY: our own mapping, not used after this.
        unsafe { libc::munmap(self.base.as_ptr().cast(), self.length) };
    }
}

fn map(length: usize) -> io::Result<(OwnedFd, NonNull<u8>)> {
    // SAFETY: plain system calls whose results are checked; the mapping belongs to the caller.
    unsafe {
        let fd = libc::memfd_create(c"symcrete".as_ptr(), libc::MFD_CLOEXEC | libc::MFD_ALLOW_SEALING);
        if fd < 0 {
            return Err(io::Error::last_os_error());
        }
        let fd = OwnedFd::from_raw_fd(fd);
        if libc::ftruncate(fd.as_raw_fd(), length as libc::off_t) != 0 {
            return Err(io::Error::last_os_error());
        }
        let seals = libc::F_SEAL_SHRINK | libc::F_SEAL_GROW | libc::F_SEAL_SEAL;
        if libc::fcntl(fd.as_raw_fd(), libc::F_ADD_SEALS, seals) != 0 {
            return Err(io::Error::last_os_error());
        }
        let flags = libc::MAP_SHARED | libc::MAP_NORESERVE;
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        let base = libc::mmap(std::ptr::null_mut(), length, protection, flags, fd.as_raw_fd(), 0);
        if base == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        libc::madvise(base, length, libc::MADV_DONTFORK);
        let base = NonNull::new(base.cast()).ok_or_else(|| io::Error::other("mapped at address zero"))?;
        Ok((fd, base))
    }
}
