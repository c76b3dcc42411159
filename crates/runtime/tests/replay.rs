//! A recorded test in a plain build: the same sources and answers, and a report of how it died.

mod engine;

use engine::{clang, crate_folder, encode, object, piece, scratch, source, succeed};
use std::io::Read;
use std::os::fd::{AsRawFd, FromRawFd};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};
use symcrete_abi::input::{Source, SourceKind};

fn unique() -> u32 {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    COUNT.fetch_add(1, Ordering::Relaxed)
}

fn archive() -> PathBuf {
    let out = scratch().join(format!("libsymcrete_replay-{}.a", unique()));
    let _ = std::fs::remove_file(&out);
    let pieces = ["replay.c", "replay_report.c", "replay_main.c", "requests.c"].map(piece);
    succeed(Command::new("ar").arg("rcs").arg(&out).args(pieces));
    out
}

fn plain(name: &str, flags: &[&str]) -> PathBuf {
    let out = scratch().join(format!("{name}-{}", unique()));
    let source = crate_folder().join("tests/c").join(format!("{name}.c"));
    let object = object(&source, flags);
    succeed(
        clang()
            .args(flags)
            .arg(object)
            .args(["-rdynamic", "-Wl,-u,symcrete_replay_buffer"])
            .arg(archive())
            .arg("-o")
            .arg(&out),
    );
    out
}

fn write_test(folder: &Path, sources: &[Source], objects: &[&[u8]]) -> PathBuf {
    let mut bytes = (sources.len() as u32).to_le_bytes().to_vec();
    for source in sources {
        // SAFETY: 128 bytes without padding.
        bytes.extend(unsafe { std::mem::transmute::<Source, [u8; 128]>(*source) });
    }
    bytes.extend(encode(objects));
    let path = folder.join("test");
    std::fs::write(&path, bytes).unwrap();
    path
}

struct Outcome {
    output: String,
    report: String,
    signal: Option<i32>,
    code: Option<i32>,
}

fn run(program: &Path, test: &Path, folder: &Path) -> Outcome {
    let mut fds = [0; 2];
    // SAFETY: two fresh descriptors.
    let (mut reader, writer) = unsafe {
        assert_eq!(libc::pipe2(fds.as_mut_ptr(), libc::O_CLOEXEC), 0);
        (std::fs::File::from_raw_fd(fds[0]), std::fs::File::from_raw_fd(fds[1]))
    };
    let fd = writer.as_raw_fd();
    let mut command = Command::new(program);
    command.arg("-").env("SYMCRETE_TEST", test).env("SYMCRETE_REPORT", "77").env("SETTING", "-").current_dir(folder);
    // SAFETY: only system calls between fork and exec.
    unsafe {
        command.pre_exec(move || {
            libc::setrlimit(libc::RLIMIT_CORE, &libc::rlimit { rlim_cur: 0, rlim_max: 0 });
            if libc::dup2(fd, 77) < 0 { Err(std::io::Error::last_os_error()) } else { Ok(()) }
        });
    }
    let output = command.output().unwrap();
    drop(writer);
    let mut report = String::new();
    reader.read_to_string(&mut report).unwrap();
    Outcome {
        output: String::from_utf8_lossy(&output.stdout).into_owned(),
        report,
        signal: output.status.signal(),
        code: output.status.code(),
    }
}

#[test]
fn the_program_gets_what_was_recorded_and_tells_how_it_dies() {
    let program = plain("plain", &[]);
    let folder = tempfile::tempdir().unwrap();
    let sources = [
        source(SourceKind::Stdin, 16, false, ""),
        source(SourceKind::Arg, 8, false, ""),
        source(SourceKind::Env, 8, false, "SETTING"),
        source(SourceKind::File, 16, false, "data.txt"),
    ];
    let with = |x: i32| {
        let test =
            write_test(folder.path(), &sources, &[b"from stdin", b"argument", b"set", b"in a file", &x.to_le_bytes()]);
        run(&program, &test, folder.path())
    };
    let quiet = with(0);
    assert_eq!(quiet.output, "from stdin|argument|set|in a file|0\n");
    assert_eq!((quiet.code, quiet.report.as_str()), (Some(0), "target 3\n"));
    assert_eq!((with(13).code, with(13).output.as_str()), (Some(0), ""));

    let aborted = with(1);
    assert_eq!(aborted.signal, Some(libc::SIGABRT));
    assert!(aborted.report.contains("signal 6 "), "{}", aborted.report);
    let crashed = with(2);
    assert_eq!(crashed.signal, Some(libc::SIGSEGV));
    let lines: Vec<&str> = crashed.report.lines().filter(|l| !l.starts_with("target")).collect();
    assert!(lines[0].starts_with("signal 11 ") && lines[0].contains(" 10 "), "{lines:?}");
    assert!(lines[1].starts_with("frame "), "{lines:?}");
    // The offsets lead back to the source.
    let functions = functions_of(&program, &lines[1..]);
    assert_eq!(functions[..2], ["crash", "main"], "{lines:?}");
    let overflowed = with(3);
    assert_eq!(overflowed.signal, Some(libc::SIGSEGV));
    let frames: Vec<&str> = overflowed.report.lines().filter(|l| l.starts_with("frame")).collect();
    assert!(frames.len() >= 32);
    assert_eq!(functions_of(&program, &frames)[10], "deep");
}

fn functions_of(program: &Path, frames: &[&str]) -> Vec<String> {
    let own = frames.iter().filter(|l| l.ends_with(" -"));
    let offsets: Vec<String> = own.map(|l| format!("0x{}", l.split(' ').nth(2).unwrap())).collect();
    let output =
        succeed(Command::new("llvm-symbolizer-22").arg("--no-inlines").arg("-s").arg("-e").arg(program).args(offsets));
    let text = String::from_utf8(output.stdout).unwrap();
    text.split("\n\n").filter_map(|entry| entry.lines().next()).map(String::from).collect()
}

#[test]
fn a_harness_is_run_once_on_its_buffer() {
    let harness = scratch().join("plain_harness.c");
    std::fs::write(
        &harness,
        "#include <stdint.h>\n#include <stdio.h>\nint LLVMFuzzerTestOneInput(const uint8_t *d, size_t n);\n\
         int LLVMFuzzerTestOneInput(const uint8_t *d, size_t n) { printf(\"%zu %.*s\\n\", n, (int)n, d); fflush(stdout); return n > 3 ? d[n] : 0; }\n",
    )
    .unwrap();
    let folder = tempfile::tempdir().unwrap();
    let test = write_test(folder.path(), &[source(SourceKind::Buffer, 16, false, "")], &[b"buffer"]);
    for flags in [&[][..], &["-fsanitize=address"][..]] {
        let out = folder.path().join("harness");
        succeed(
            clang()
                .args(flags)
                .args(["-g", "-Wl,-u,symcrete_replay_buffer"])
                .arg(&harness)
                .arg(archive())
                .arg("-o")
                .arg(&out),
        );
        let outcome = run(&out, &test, folder.path());
        assert_eq!(outcome.output, "6 buffer\n");
        // Reading one past the end is noticed by a checked build.
        assert_eq!(outcome.code, Some(if flags.is_empty() { 0 } else { 1 }));
    }
}

#[test]
fn a_broken_test_file_is_refused() {
    let program = plain("plain", &["-O1"]);
    let folder = tempfile::tempdir().unwrap();
    let test = folder.path().join("test");
    for bytes in [
        &[][..],
        &[1, 2, 3],
        &[9, 0, 0, 0, 0, 0, 0, 0],
        &[0, 0, 0, 0, 255, 0, 0, 0],
        &[0, 0, 0, 0, 1, 0, 0, 0, 99, 0, 0, 0],
    ] {
        std::fs::write(&test, bytes).unwrap();
        let outcome = run(&program, &test, folder.path());
        assert_eq!(outcome.code, Some(125), "{bytes:?}");
    }
    assert_eq!(run(&program, &folder.path().join("absent"), folder.path()).code, Some(125));
}
