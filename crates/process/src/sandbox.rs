//! What a target may not do: write outside its scratch directories, reach the network, see or signal other
//! processes. Uses what the kernel offers and says what it does not.

use crate::launch;
use crate::scratch::Scratch;
use crate::temporary::{Mount, Temporary};
use landlock::{
    ABI, Access, AccessFs, AccessNet, CompatLevel, Compatible, PathBeneath, PathFd, Ruleset, RulesetAttr,
    RulesetCreatedAttr, Scope,
};
use std::fmt;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::sync::Arc;

/// Which guarantees hold on this machine. `false` means that the kernel or the container refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SandboxReport {
    /// The user asked for a sandbox at all.
    pub on: bool,
    /// Writing outside the scratch directories is refused (Landlock).
    pub writes_confined: bool,
    /// What it writes to `/tmp` goes to a directory of its own (a mount namespace).
    pub own_temporary: bool,
    /// No network: an empty network namespace, or at least no TCP (Landlock).
    pub network_off: bool,
    /// A process namespace: nothing outside can be seen or signalled, and nothing survives the end of a run.
    pub processes_contained: bool,
    /// Address-space randomisation can be turned off; otherwise one layout per server.
    pub addresses_fixed: bool,
}

impl SandboxReport {
    /// What is missing, in words for people; empty when everything is there or nothing was asked for.
    pub fn missing(&self) -> Vec<&'static str> {
        let mut list = Vec::new();
        if self.on && !self.writes_confined {
            list.push("no Landlock: the target can write outside its scratch directory");
        }
        if self.on && self.writes_confined && !self.own_temporary {
            list.push("no mount namespace: the target cannot write to /tmp");
        }
        if self.on && !self.network_off {
            list.push("no network namespace: the target can reach the network");
        }
        if self.on && !self.processes_contained {
            list.push("no process namespace: leftover processes are killed one by one");
        }
        if !self.addresses_fixed {
            list.push("personality() refused: addresses differ from one start of the target to the next");
        }
        list
    }
}

impl fmt::Display for SandboxReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.missing().as_slice() {
            [] if self.on => f.write_str("sandbox complete"),
            [] => f.write_str("sandbox off"),
            missing => f.write_str(&missing.join("; ")),
        }
    }
}

/// Decided once, used for every spawn.
#[derive(Debug)]
pub struct Sandbox {
    /// Flags for clone: the namespaces that could be had.
    namespaces: u64,
    rules: Option<OwnedFd>,
    temporary: Option<Arc<Temporary>>,
    report: SandboxReport,
}

impl Sandbox {
    /// No confinement, except that processes are still contained where that is possible:
    /// leftovers of a run must go in any case.
    pub fn off() -> Sandbox {
        let namespaces = launch::usable_namespaces(&[NEWUSER | NEWPID], &[]);
        Sandbox {
            namespaces,
            rules: None,
            temporary: None,
            report: SandboxReport {
                on: false,
                writes_confined: false,
                own_temporary: false,
                network_off: false,
                processes_contained: namespaces & NEWPID != 0,
                addresses_fixed: addresses_can_be_fixed(),
            },
        }
    }

    /// Confines writing to the scratch directories (and the harmless devices), cuts the network, contains processes.
    pub fn confine(scratch: &Scratch) -> Sandbox {
        let sets = [NEWUSER | NEWPID | NEWNET | NEWIPC, NEWUSER | NEWPID | NEWIPC, NEWUSER | NEWPID, NEWUSER | NEWNET];
        let mounts = scratch.temporary().mounts(&[]).unwrap_or_default();
        let namespaces = match launch::usable_namespaces(&sets.map(|set| set | NEWNS), &mounts) {
            0 => launch::usable_namespaces(&sets, &[]),
            usable => usable,
        };
        let own_network = namespaces & NEWNET != 0;
        let own_temporary = namespaces & NEWNS != 0;
        let (rules, no_tcp) = rules(&[scratch.path(), scratch.temporary().path()], !own_network);
        let report = SandboxReport {
            on: true,
            writes_confined: rules.is_some(),
            own_temporary,
            network_off: own_network || rules.is_some() && no_tcp,
            processes_contained: namespaces & NEWPID != 0,
            addresses_fixed: addresses_can_be_fixed(),
        };
        let temporary = own_temporary.then(|| Arc::clone(scratch.temporary()));
        Sandbox { namespaces, rules, temporary, report }
    }

    /// As [`Sandbox::confine`] on a machine without namespaces and Landlock: what users of locked-down
    /// containers get.
    pub fn without_kernel_help() -> Sandbox {
        Sandbox {
            namespaces: 0,
            rules: None,
            temporary: None,
            report: SandboxReport {
                on: true,
                writes_confined: false,
                own_temporary: false,
                network_off: false,
                processes_contained: false,
                addresses_fixed: addresses_can_be_fixed(),
            },
        }
    }

    pub fn report(&self) -> SandboxReport {
        self.report
    }

    pub(crate) fn namespaces(&self) -> u64 {
        self.namespaces
    }

    pub(crate) fn contains_processes(&self) -> bool {
        self.namespaces & NEWPID != 0
    }

    /// What is mounted for a target that needs these.
    pub(crate) fn mounts(&self, needed: &[&Path]) -> std::io::Result<Vec<Mount>> {
        self.temporary.as_ref().map_or(Ok(vec![]), |temporary| temporary.mounts(needed))
    }

    pub(crate) fn rules(&self) -> Option<&OwnedFd> {
        self.rules.as_ref()
    }
}

const NEWUSER: u64 = libc::CLONE_NEWUSER as u64;
const NEWPID: u64 = libc::CLONE_NEWPID as u64;
const NEWNET: u64 = libc::CLONE_NEWNET as u64;
const NEWIPC: u64 = libc::CLONE_NEWIPC as u64;
const NEWNS: u64 = libc::CLONE_NEWNS as u64;

/// Builds the Landlock rules; the child only has to enter them. The flag tells whether TCP is among
/// what they forbid.
fn rules(writable: &[&Path], forbid_tcp: bool) -> (Option<OwnedFd>, bool) {
    for tcp in [true, false] {
        if tcp && !forbid_tcp {
            continue;
        }
        if let Some(fd) = build(writable, tcp) {
            return (Some(fd), tcp);
        }
    }
    (None, false)
}

fn build(writable: &[&Path], tcp: bool) -> Option<OwnedFd> {
    // Everything that changes a file system, as far as this kernel knows it.
    let writes = AccessFs::from_write(ABI::V5);
    let mut ruleset = Ruleset::default().set_compatibility(CompatLevel::BestEffort).handle_access(writes).ok()?;
    if tcp {
        // All or nothing: a report that says "no network" must be true.
        ruleset =
            ruleset.set_compatibility(CompatLevel::HardRequirement).handle_access(AccessNet::from_all(ABI::V4)).ok()?;
        ruleset = ruleset.set_compatibility(CompatLevel::BestEffort);
    }
    let mut created = ruleset.scope(Scope::from_all(ABI::V6)).ok()?.create().ok()?;
    for folder in writable {
        created = created.add_rule(PathBeneath::new(PathFd::new(folder).ok()?, writes)).ok()?;
    }
    for device in ["/dev/null", "/dev/zero", "/dev/full", "/dev/tty", "/dev/random", "/dev/urandom"] {
        if let Ok(fd) = PathFd::new(device) {
            created = created.add_rule(PathBeneath::new(fd, AccessFs::WriteFile | AccessFs::IoctlDev)).ok()?;
        }
    }
    created.into()
}

/// Whether a child may ask for fixed addresses. Tried on the calling thread and undone at once.
pub fn addresses_can_be_fixed() -> bool {
    const QUERY: libc::c_ulong = 0xffff_ffff;
    // SAFETY: personality changes a property of the calling thread only, and it is put back.
    unsafe {
        let before = libc::personality(QUERY);
        if before < 0 {
            return false;
        }
        let fixed = libc::personality(before as libc::c_ulong | libc::ADDR_NO_RANDOMIZE as libc::c_ulong) >= 0;
        libc::personality(before as libc::c_ulong);
        fixed
    }
}
