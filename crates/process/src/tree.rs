//! Looks at processes through /proc: who descends from whom, what they use. Only reads.
//!
//! Everything here is a snapshot that may be stale at once, and a process may vanish between two reads:
//! callers repeat until nothing is left, and a missing answer is never an error.

use std::fs;
use std::time::Duration;

/// Direct children of a process. Zombies are among them.
pub(crate) fn children(pid: i32) -> Vec<i32> {
    let Ok(tasks) = fs::read_dir(format!("/proc/{pid}/task")) else { return Vec::new() };
    let mut all = Vec::new();
    for task in tasks.flatten() {
        match fs::read_to_string(task.path().join("children")) {
            Ok(list) => all.extend(list.split_ascii_whitespace().filter_map(|p| p.parse::<i32>().ok())),
            // A kernel without these files: look at everybody's parent instead.
            Err(_) => return children_by_parent(pid),
        }
    }
    all
}

fn children_by_parent(pid: i32) -> Vec<i32> {
    let Ok(entries) = fs::read_dir("/proc") else { return Vec::new() };
    let numbers = entries.flatten().filter_map(|e| e.file_name().to_str()?.parse::<i32>().ok());
    numbers.filter(|&other| stat(other).is_some_and(|s| s.parent == pid)).collect()
}

/// All processes below `pid`, without itself, without `spared` and what is below that, about `limit` of
/// them at most.
pub(crate) fn descendants(pid: i32, spared: Option<i32>, limit: usize) -> Vec<i32> {
    let mut all = children(pid);
    all.retain(|&p| Some(p) != spared);
    let mut next = 0;
    while next < all.len() && all.len() < limit {
        all.extend(children(all[next]));
        next += 1;
    }
    all
}

/// What the process's own namespace calls it.
pub(crate) fn innermost_number(pid: i32) -> Option<i32> {
    let text = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    match text.lines().find_map(|line| line.strip_prefix("NSpid:")) {
        Some(numbers) => numbers.split_ascii_whitespace().last()?.parse().ok(),
        // A kernel without namespaces: there is only one number.
        None => Some(pid),
    }
}

pub(crate) struct Stat {
    pub state: u8,
    pub parent: i32,
    /// Of the process itself, and of those children it has waited for.
    pub cpu: Duration,
}

impl Stat {
    pub fn gone(&self) -> bool {
        matches!(self.state, b'Z' | b'X')
    }
}

pub(crate) fn stat(pid: i32) -> Option<Stat> {
    let text = fs::read(format!("/proc/{pid}/stat")).ok()?;
    // The name in parentheses is the program's own choice and may hold anything.
    let end = text.iter().rposition(|&b| b == b')')?;
    let rest = std::str::from_utf8(text.get(end + 2..)?).ok()?;
    let fields: Vec<&str> = rest.split_ascii_whitespace().collect();
    let ticks: u64 = fields.get(11..15)?.iter().filter_map(|f| f.parse::<u64>().ok()).sum();
    Some(Stat {
        state: *fields.first()?.as_bytes().first()?,
        parent: fields.get(1)?.parse().ok()?,
        cpu: Duration::from_millis(ticks.saturating_mul(1000) / ticks_per_second()),
    })
}

fn ticks_per_second() -> u64 {
    // SAFETY: sysconf only reads.
    match unsafe { libc::sysconf(libc::_SC_CLK_TCK) } {
        ticks if ticks > 0 => ticks as u64,
        _ => 100,
    }
}

/// Private resident memory in bytes: what would be freed if the process went away.
pub(crate) fn private_memory(pid: i32) -> u64 {
    let Ok(text) = fs::read_to_string(format!("/proc/{pid}/statm")) else { return 0 };
    let mut fields = text.split_ascii_whitespace().skip(1).filter_map(|f| f.parse::<u64>().ok());
    let (resident, shared) = (fields.next().unwrap_or(0), fields.next().unwrap_or(0));
    resident.saturating_sub(shared).saturating_mul(4096)
}
