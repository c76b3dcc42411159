//! A small engine for tests: builds the runtime as it ships, links C targets with it, and speaks the
//! fork server's protocol. Independent of the real executor, so that each can judge the other.
#![allow(dead_code)]
// Shared memory: what is read changes under everybody's eyes; the tests look only while nothing runs.
#![allow(clippy::mut_from_ref)]

use std::collections::BTreeSet;
use std::fs;
use std::io::{Read, Write};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command as Process, Output};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, OnceLock};
use symcrete_abi::input::{Source, SourceKind};
use symcrete_abi::layout::{Event, LostEntry, Region, UnitEntry};
use symcrete_abi::{
    Command, CommandKind, ENV_ENGINE, Header, MAGIC, Mode, Node, Packed, PackedEvent, Reply, ReplyKind, VERSION, Wide,
};

pub fn crate_folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// Where built pieces go; one folder per process, because test runners start one for each test and run several at a
/// time. Folders of processes that have ended are removed.
pub fn scratch() -> PathBuf {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    let make = || {
        let all = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("runtime-tests");
        for entry in fs::read_dir(&all).into_iter().flatten().flatten() {
            let name = entry.file_name();
            let process = name.to_str().and_then(|name| name.rsplit('-').next()).unwrap_or("");
            if !Path::new("/proc").join(process).exists() {
                let _ = fs::remove_dir_all(entry.path());
            }
        }
        let folder = all.join(format!("{}-{}", env!("CARGO_CRATE_NAME"), std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        folder
    };
    FOLDER.get_or_init(make).clone()
}

pub fn succeed(process: &mut Process) -> Output {
    let output = process.output().unwrap_or_else(|e| panic!("{process:?}: {e}"));
    assert!(output.status.success(), "{process:?}\n{}", String::from_utf8_lossy(&output.stderr));
    output
}

/// The static library, in the configuration that ships. Its own target folder: the one of the running
/// cargo is locked.
pub fn archive() -> &'static Path {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    BUILT.get_or_init(|| {
        let target = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("archive");
        let workspace = crate_folder().join("../..");
        let triple = "x86_64-unknown-linux-gnu";
        let mut cargo = Process::new(env!("CARGO"));
        cargo.current_dir(workspace).args([
            "build",
            "--quiet",
            "--offline",
            "--profile",
            "runtime",
            "--target",
            triple,
        ]);
        succeed(cargo.args(["-p", "symcrete-runtime", "--target-dir"]).arg(&target));
        target.join(triple).join("runtime/libsymcrete_runtime.a")
    })
}

pub fn clang() -> Process {
    Process::new("clang-22")
}

/// Compiles a C file to an object, once.
pub fn object(source: &Path, flags: &[&str]) -> PathBuf {
    // Tests run side by side and share objects.
    static BUILT: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());
    let mut built = BUILT.lock().unwrap_or_else(|e| e.into_inner());
    let name: String = flags.join("").chars().filter(|c| c.is_ascii_alphanumeric()).collect();
    let out = scratch().join(format!("{}{name}.o", source.file_stem().unwrap().to_str().unwrap()));
    if !built.insert(out.clone()) {
        return out;
    }
    succeed(
        clang()
            .args(["-O2", "-g", "-fPIC", "-Wall", "-Wextra", "-Werror", "-c"])
            .args(flags)
            .arg(source)
            .arg("-o")
            .arg(&out),
    );
    out
}

/// A piece of the runtime that is C.
pub fn piece(name: &str) -> PathBuf {
    object(&crate_folder().join("c").join(name), &[])
}

/// Links `tests/c/NAME.c` as the compiler wrapper would link a target.
pub fn target(name: &str, pieces: &[&str], flags: &[&str]) -> PathBuf {
    // A program that runs cannot be written.
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let source = crate_folder().join("tests/c").join(format!("{name}.c"));
    let out = scratch().join(format!("{name}-{count}"));
    let mut link = clang();
    link.args([
        "-fuse-ld=lld",
        "-Wl,-z,nostart-stop-gc",
        "-Wl,-u,__symcrete_start",
        "-Wl,--export-dynamic-symbol=__symcrete_*",
    ]);
    link.arg(piece("begin.c")).arg(object(&source, flags));
    for piece_name in pieces {
        link.arg(piece(piece_name));
    }
    succeed(link.arg(archive()).arg(piece("end.c")).args(flags).arg("-o").arg(&out));
    out
}

pub fn source(kind: SourceKind, capacity: u32, exact: bool, name: &str) -> Source {
    let mut bytes = [0; 120];
    bytes[..name.len()].copy_from_slice(name.as_bytes());
    Source { kind: kind as u8, exact: exact as u8, name_length: name.len() as u16, capacity, name: bytes }
}

pub fn encode(objects: &[&[u8]]) -> Vec<u8> {
    let mut bytes = (objects.len() as u32).to_le_bytes().to_vec();
    for object in objects {
        bytes.extend((object.len() as u32).to_le_bytes());
    }
    for object in objects {
        bytes.extend(*object);
    }
    bytes.resize(bytes.len().next_multiple_of(4), 0);
    bytes
}

pub fn encode_batch(inputs: &[Vec<u8>]) -> Vec<u8> {
    let mut at = 4 + 4 * inputs.len();
    let mut bytes = (inputs.len() as u32).to_le_bytes().to_vec();
    for input in inputs {
        bytes.extend((at as u32).to_le_bytes());
        at += input.len();
    }
    inputs.iter().for_each(|i| bytes.extend(i));
    bytes
}

pub struct Engine {
    base: *mut u8,
    size: usize,
    commands: fs::File,
    replies: fs::File,
    child: Child,
    pub hello: Reply,
    pub folder: PathBuf,
}

pub struct Settings<'a> {
    pub sources: &'a [Source],
    pub arguments: &'a [&'a str],
    pub environment: &'a [(&'a str, &'a str)],
    pub nodes: u64,
    pub events: u64,
    pub address_space: Option<u64>,
}

impl Default for Settings<'_> {
    fn default() -> Self {
        Settings {
            sources: &[],
            arguments: &[],
            environment: &[],
            nodes: 1 << 16,
            events: 1 << 16,
            address_space: None,
        }
    }
}

fn pipe() -> (OwnedFd, OwnedFd) {
    let mut fds = [0; 2];
    // SAFETY: two fresh descriptors.
    unsafe {
        assert_eq!(libc::pipe2(fds.as_mut_ptr(), libc::O_CLOEXEC), 0);
        (OwnedFd::from_raw_fd(fds[0]), OwnedFd::from_raw_fd(fds[1]))
    }
}

impl Engine {
    pub fn start(program: &Path, settings: &Settings) -> Engine {
        let mut at = 4096;
        let mut part = |size: u64| {
            let region = Region { at, size };
            at += size.next_multiple_of(4096);
            region
        };
        // SAFETY: a structure of integers.
        let mut header: Header = unsafe { std::mem::zeroed() };
        header.magic = MAGIC;
        header.version = VERSION;
        header.header_size = size_of::<Header>() as u32;
        header.sources = part(4096);
        header.input = part(1 << 20);
        header.log = part(1 << 16);
        header.units = part(4096);
        header.marks = part(1 << 20);
        header.seen = part(1 << 20);
        header.sides = part(1 << 20);
        header.lost = part(256 * size_of::<LostEntry>() as u64);
        header.events = part(settings.events * size_of::<PackedEvent>() as u64);
        header.nodes = part(settings.nodes * size_of::<Packed>() as u64);
        header.wide = part(settings.nodes * size_of::<Wide>() as u64);
        header.source_count = settings.sources.len() as u32;
        header.seed = 1;
        let size = at as usize;
        // SAFETY: fresh mapping of a fresh file.
        let (shm, base) = unsafe {
            let fd = libc::memfd_create(c"shm".as_ptr(), libc::MFD_CLOEXEC);
            assert!(fd >= 0 && libc::ftruncate(fd, size as i64) == 0);
            let base = libc::mmap(std::ptr::null_mut(), size, 3, libc::MAP_SHARED, fd, 0);
            assert_ne!(base, libc::MAP_FAILED);
            base.cast::<Header>().write(header);
            (OwnedFd::from_raw_fd(fd), base.cast::<u8>())
        };
        for (i, source) in settings.sources.iter().enumerate() {
            // SAFETY: inside the region.
            unsafe { base.add(header.sources.at as usize).cast::<Source>().add(i).write(*source) };
        }
        let (commands_read, commands) = pipe();
        let (replies, replies_write) = pipe();
        let folder = tempfile::tempdir().unwrap().keep();
        let numbers: [(RawFd, RawFd); 3] =
            [(shm.as_raw_fd(), 200), (commands_read.as_raw_fd(), 201), (replies_write.as_raw_fd(), 202)];
        let mut process = Process::new(program);
        process
            .args(settings.arguments)
            .envs(settings.environment.iter().copied())
            .env(ENV_ENGINE, "200,201,202")
            .current_dir(&folder);
        let limit = settings.address_space;
        // SAFETY: only system calls between fork and exec.
        unsafe {
            process.pre_exec(move || {
                for (from, to) in numbers {
                    if libc::dup2(from, to) < 0 {
                        return Err(std::io::Error::last_os_error());
                    }
                }
                if let Some(bytes) = limit {
                    libc::setrlimit(libc::RLIMIT_AS, &libc::rlimit { rlim_cur: bytes, rlim_max: bytes });
                }
                libc::setrlimit(libc::RLIMIT_CORE, &libc::rlimit { rlim_cur: 0, rlim_max: 0 });
                Ok(())
            });
        }
        let child = process.spawn().unwrap();
        let mut engine = Engine {
            base,
            size,
            commands: commands.into(),
            replies: replies.into(),
            child,
            hello: Reply { kind: 0, pid: 0, status: 0, arg: 0 },
            folder,
        };
        drop((shm, commands_read, replies_write));
        engine.hello = engine.reply();
        engine
    }

    pub fn header(&self) -> &mut Header {
        // SAFETY: the target does not run while tests look.
        unsafe { &mut *self.base.cast::<Header>() }
    }

    fn region(&self, pick: impl Fn(&Header) -> Region) -> &mut [u8] {
        let region = pick(self.header());
        assert!((region.at + region.size) as usize <= self.size);
        // SAFETY: inside the mapping.
        unsafe { std::slice::from_raw_parts_mut(self.base.add(region.at as usize), region.size as usize) }
    }

    fn records<T: Copy>(&self, pick: impl Fn(&Header) -> Region, count: usize) -> Vec<T> {
        let bytes = self.region(pick);
        assert!(count * size_of::<T>() <= bytes.len());
        // SAFETY: records of integers, aligned by the page.
        unsafe { std::slice::from_raw_parts(bytes.as_ptr().cast::<T>(), count).to_vec() }
    }

    pub fn nodes(&self) -> Vec<Node> {
        let nodes: Vec<Packed> = self.records(|h| h.nodes, self.header().node_count as usize);
        let wide: Vec<Wide> = self.records(|h| h.wide, self.header().wide_count as usize);
        nodes.iter().map(|node| node.unpack(|i| wide.get(i as usize).copied()).unwrap()).collect()
    }

    pub fn events(&self) -> Vec<Event> {
        let events: Vec<PackedEvent> = self.records(|h| h.events, self.header().event_count as usize);
        events.iter().map(PackedEvent::unpack).collect()
    }

    pub fn units(&self) -> Vec<UnitEntry> {
        self.records(|h| h.units, self.header().unit_count as usize)
    }

    pub fn lost(&self) -> Vec<LostEntry> {
        let mut all: Vec<LostEntry> = self.records(|h| h.lost, 256);
        all.retain(|e| e.what != 0);
        all
    }

    pub fn marks(&self) -> &mut [u8] {
        self.region(|h| h.marks)
    }

    pub fn sides(&self) -> &mut [u8] {
        self.region(|h| h.sides)
    }

    pub fn log(&self) -> Vec<u8> {
        self.region(|h| h.log)[..self.header().log_used as usize].to_vec()
    }

    pub fn reply(&mut self) -> Reply {
        let mut bytes = [0; 16];
        self.replies.read_exact(&mut bytes).expect("a reply");
        // SAFETY: plain integers.
        unsafe { std::mem::transmute(bytes) }
    }

    pub fn command(&mut self, kind: CommandKind, mode: Mode) -> Reply {
        let command = Command { kind: kind as u32, mode: mode as u32, arg: 0 };
        // SAFETY: plain integers.
        let bytes: [u8; 16] = unsafe { std::mem::transmute(command) };
        self.commands.write_all(&bytes).unwrap();
        self.reply()
    }

    pub fn put(&mut self, bytes: &[u8]) {
        self.region(|h| h.input)[..bytes.len()].copy_from_slice(bytes);
    }

    /// Runs one input; how it ended, as waitpid says.
    pub fn run(&mut self, mode: Mode, objects: &[&[u8]]) -> i32 {
        self.put(&encode(objects));
        let started = self.command(CommandKind::Run, mode);
        assert_eq!(started.kind, ReplyKind::Started as u32, "{started:?}");
        let ended = self.reply();
        assert_eq!((ended.kind, ended.pid), (ReplyKind::Ended as u32, started.pid));
        ended.status
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = fs::remove_dir_all(&self.folder);
    }
}
