//! Start-up, before any of the target's own code: find out whether an engine is there, map its memory.
//! Without an engine nothing is mapped and nothing changes; environment variables are read here only.

use crate::state::{__symcrete_mode, STATE, header};
use crate::{gate, nodes, paths, server, shadow, signals, sys, tables};
use symcrete_abi::layout::{Header, notes};
use symcrete_abi::{ENV_BODY, ENV_ENGINE, MAGIC, VERSION};

/// Nodes and events for which the server has pages from the start: those of a run over a kilobyte or two.
const LAID_OUT: u32 = 1 << 14;

/// First thing in an executable; shared objects have no such section.
#[cfg(all(not(test), panic = "abort"))]
#[used]
#[unsafe(link_section = ".preinit_array")]
static EARLY: extern "C" fn(i32, *mut *mut u8, *mut *mut u8) = __symcrete_start;

/// Called before constructors.
#[unsafe(no_mangle)]
pub extern "C" fn __symcrete_start(argc: i32, argv: *mut *mut u8, envp: *mut *mut u8) {
    STATE.argc.set(argc.max(0) as usize);
    STATE.argv.set(argv);
    STATE.envp.set(envp);
    if let Some(text) = variable(envp, ENV_ENGINE) {
        if let Some([shm, commands, replies]) = numbers(text) {
            // Before the environment gets shorter: what the kernel left behind it is found by its end.
            let stack_low = lowest_stack_address();
            remove_variable(envp, ENV_ENGINE);
            connect(shm, commands, replies, stack_low);
        }
    } else if let Some(text) = variable(envp, ENV_BODY)
        && (text == b"tracking" || text == b"tracking-paths")
        && paths::map_cell()
    {
        if shadow::map() {
            signals::install_for_faults();
        }
        if text == b"tracking-paths" {
            paths::begin_by_hand();
        }
        set_mode(1);
    }
}

pub fn set_mode(mode: u8) {
    // SAFETY: one thread; instrumented code only reads it.
    unsafe { (&raw mut __symcrete_mode).write_volatile(mode) };
}

/// Maps the engine's memory. Descriptors that are not what we expect mean that the variable was
/// inherited by a program it was not meant for: that one runs as a plain program.
fn connect(shm: i32, commands: i32, replies: i32, stack_low: u64) {
    let Some(size) = sys::file_size(shm).filter(|&size| size >= size_of::<Header>() as u64) else { return };
    let at = sys::mmap(0, size, sys::MAP_SHARED, shm, 0);
    if at <= 0 {
        return;
    }
    // SAFETY: mapped just now and at least as large as a header.
    let found = unsafe { &*(at as *const Header) };
    if found.magic != MAGIC {
        return;
    }
    STATE.commands.set(commands);
    STATE.replies.set(replies);
    if found.version != VERSION || found.header_size as usize != size_of::<Header>() {
        server::refuse(sys::EPROTO);
    }
    STATE.header.set(at as *mut Header);
    sys::madvise(at as u64, size, sys::MADV_DONTDUMP);
    if !paths::map_cell() {
        server::refuse(sys::ENOMEM);
    }
    paths::map_stream(shm);
    sys::close(shm);
    gate::prepare();
    let on_demand = shadow::map();
    if let Some(header) = header() {
        header.notes = if on_demand { notes::SHADOW_ON_DEMAND } else { 0 };
        header.stack_low = stack_low;
        nodes::prepare(at as *mut u8, header.nodes, header.wide);
        tables::prepare();
        STATE.events.prepare(at as *mut u8, header.events, u32::MAX);
        STATE.nodes.lay_out(LAID_OUT);
        STATE.events.lay_out(LAID_OUT);
    }
    // Constructors run in the tracking body, so that their sides are seen.
    if on_demand {
        signals::install_for_faults();
    }
    set_mode(1);
}

/// The stack grows down from its top by at most the limit. The top is the page end behind the name of the
/// program, the last thing the kernel put there.
fn lowest_stack_address() -> u64 {
    const AT_NULL: u64 = 0;
    const AT_EXECFN: u64 = 31;
    let envp = STATE.envp.get();
    let mut i = 0;
    // SAFETY: `envp` ends with a null pointer, behind which the kernel put pairs of (tag, value).
    let top = unsafe {
        while !(*envp.add(i)).is_null() {
            i += 1;
        }
        let mut pair = envp.add(i + 1).cast::<[u64; 2]>();
        loop {
            match *pair {
                [AT_NULL, _] => break envp as u64,
                [AT_EXECFN, name] => break name + text(name as *const u8).len() as u64,
                _ => pair = pair.add(1),
            }
        }
    };
    (top | 4095).wrapping_add(1).saturating_sub(sys::stack_limit())
}

/// The bytes of a C string.
///
/// # Safety
/// `p` ends with NUL and stays.
pub unsafe fn text(p: *const u8) -> &'static [u8] {
    // SAFETY: as the caller says.
    unsafe {
        let mut n = 0;
        while *p.add(n) != 0 {
            n += 1;
        }
        core::slice::from_raw_parts(p, n)
    }
}

/// Index of an environment variable.
pub fn find_variable(envp: *mut *mut u8, name: &[u8]) -> Option<usize> {
    let mut i = 0;
    if envp.is_null() {
        return None;
    }
    // SAFETY: the environment as the kernel laid it out.
    unsafe {
        while !(*envp.add(i)).is_null() {
            let entry = text(*envp.add(i));
            if entry.len() > name.len() && entry[name.len()] == b'=' && &entry[..name.len()] == name {
                return Some(i);
            }
            i += 1;
        }
    }
    None
}

fn variable(envp: *mut *mut u8, name: &str) -> Option<&'static [u8]> {
    let i = find_variable(envp, name.as_bytes())?;
    // SAFETY: found just now.
    Some(unsafe { &text(*envp.add(i))[name.len() + 1..] })
}

/// Takes the variable out of the environment: the target's own children are plain programs.
fn remove_variable(envp: *mut *mut u8, name: &str) {
    let Some(mut i) = find_variable(envp, name.as_bytes()) else { return };
    // SAFETY: moves the later pointers, the null at the end included, one down.
    unsafe {
        while !(*envp.add(i)).is_null() {
            *envp.add(i) = *envp.add(i + 1);
            i += 1;
        }
    }
}

/// Three decimal numbers with commas between them.
fn numbers(text: &[u8]) -> Option<[i32; 3]> {
    let mut result = [0i32; 3];
    let mut parts = text.split(|&b| b == b',');
    for number in &mut result {
        let part = parts.next().filter(|part| !part.is_empty() && part.len() < 10)?;
        for &digit in part {
            if !digit.is_ascii_digit() {
                return None;
            }
            *number = *number * 10 + (digit - b'0') as i32;
        }
    }
    parts.next().is_none().then_some(result)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptors_are_three_plain_numbers() {
        assert_eq!(numbers(b"3,14,159"), Some([3, 14, 159]));
        for wrong in [&b""[..], b"1,2", b"1,2,3,4", b"1,,3", b"a,2,3", b"-1,2,3", b"99999999999,1,2"] {
            assert_eq!(numbers(wrong), None, "{:?}", std::str::from_utf8(wrong));
        }
    }

    #[test]
    fn a_variable_is_found_by_its_whole_name_and_taken_out() {
        let strings = [c"AB=1", c"A=2", c"C=", c"D"];
        let mut envp: Vec<*mut u8> = strings.iter().map(|s| s.as_ptr() as *mut u8).collect();
        envp.push(core::ptr::null_mut());
        assert_eq!(variable(envp.as_mut_ptr(), "A"), Some(&b"2"[..]));
        assert_eq!(variable(envp.as_mut_ptr(), "C"), Some(&b""[..]));
        assert_eq!(variable(envp.as_mut_ptr(), "D"), None);
        remove_variable(envp.as_mut_ptr(), "A");
        assert_eq!(variable(envp.as_mut_ptr(), "A"), None);
        assert_eq!(variable(envp.as_mut_ptr(), "AB"), Some(&b"1"[..]));
        assert_eq!(find_variable(envp.as_mut_ptr(), b"C"), Some(1));
    }
}
