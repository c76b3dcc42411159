//! KLEE's test files. Numbers are big-endian; a string is its length and its bytes.
//!
//! Objects of the program's own requests keep their names. Arguments and standard input become the objects that
//! KLEE's POSIX runtime makes for `-sym-arg` and `-sym-stdin`, with the options in the file. KLEE's reader takes no
//! string and no object without bytes.

use super::{Case, Exported};
use crate::atomic;
use std::io;
use std::path::Path;
use symcrete_event::{InputKind, InputObject};

const MAGIC: &[u8; 5] = b"KTEST";
const VERSION: u32 = 3;
/// `struct stat` of x86-64 Linux; mode and size are what a replay looks at.
const STAT_SIZE: usize = 144;
const REGULAR_FILE: u32 = 0o100_644;

pub(super) fn write(to: &Path, target: &str, cases: &[Case], done: &mut Exported) -> io::Result<()> {
    for case in cases {
        match encoded(target, &case.test.objects().unwrap_or_default()) {
            Ok(bytes) => {
                atomic::write(&to.join(format!("test{}.ktest", case.name)), &bytes)?;
                done.files += 1;
            }
            Err(why) => done.left_out.push((case.name.clone(), why)),
        }
    }
    Ok(())
}

#[derive(Default)]
struct Objects {
    arguments: Vec<String>,
    list: Vec<(String, Vec<u8>)>,
}

fn encoded(target: &str, inputs: &[InputObject]) -> Result<Vec<u8>, String> {
    let mut objects = Objects::default();
    // In the order in which KLEE's runtime asks: arguments, then standard input, then the program.
    let (mut position, mut stdin) = (0, None);
    for input in inputs {
        match input.kind {
            InputKind::Arg => {
                let text: Vec<u8> = input.bytes.iter().copied().take_while(|b| *b != 0).chain([0]).collect();
                objects.arguments.extend(["-sym-arg".to_string(), (text.len() - 1).to_string()]);
                objects.list.push((format!("arg{position:02}"), text));
                position += 1;
            }
            InputKind::Stdin => stdin = Some(input),
            InputKind::Env | InputKind::File | InputKind::Socket => {
                let (kind, name) = (input.kind.slug(), &input.name);
                return Err(format!("{kind} `{name}` has no counterpart in KLEE's runtime"));
            }
            _ => {}
        }
    }
    if let Some(stdin) = stdin.filter(|s| !s.bytes.is_empty()) {
        objects.arguments.extend(["-sym-stdin".to_string(), stdin.bytes.len().to_string()]);
        objects.list.push(("stdin".into(), stdin.bytes.clone()));
        objects.list.push(("stdin_stat".into(), status(stdin.bytes.len() as u64)));
    }
    let asked = inputs.iter().filter(|i| !i.kind.is_declared() || i.kind == InputKind::Buffer);
    for input in asked.filter(|i| !i.bytes.is_empty()) {
        let name = if input.name.is_empty() { "unnamed" } else { &input.name };
        objects.list.push((name.into(), input.bytes.clone()));
    }
    let mut out = MAGIC.to_vec();
    number(&mut out, VERSION);
    number(&mut out, 1 + objects.arguments.len() as u32);
    bytes(&mut out, if target.is_empty() { b"program" } else { target.as_bytes() });
    objects.arguments.iter().for_each(|a| bytes(&mut out, a.as_bytes()));
    // Sizes of symbolic arguments in the way of very old versions: none.
    number(&mut out, 0);
    number(&mut out, 0);
    number(&mut out, objects.list.len() as u32);
    for (name, content) in &objects.list {
        bytes(&mut out, name.as_bytes());
        bytes(&mut out, content);
    }
    Ok(out)
}

fn number(out: &mut Vec<u8>, value: u32) {
    out.extend(value.to_be_bytes());
}

fn bytes(out: &mut Vec<u8>, text: &[u8]) {
    number(out, text.len() as u32);
    out.extend(text);
}

/// `struct stat` of a regular file of that size, owned by nobody in particular.
fn status(size: u64) -> Vec<u8> {
    let mut out = vec![0; STAT_SIZE];
    out[16..24].copy_from_slice(&1u64.to_le_bytes());
    out[24..28].copy_from_slice(&REGULAR_FILE.to_le_bytes());
    out[48..56].copy_from_slice(&size.to_le_bytes());
    out[56..64].copy_from_slice(&4096u64.to_le_bytes());
    out[64..72].copy_from_slice(&size.div_ceil(512).to_le_bytes());
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    /// Reads the layout with Python's `struct`, as KLEE's own viewer does.
    const READER: &str = r#"
import struct, sys
f = open(sys.argv[1], 'rb')
def number(): return struct.unpack('>i', f.read(4))[0]
def text():
    size = number(); assert size > 0
    out = f.read(size); assert len(out) == size
    return out
assert f.read(5) == b'KTEST' and number() == 3
args = [text().decode('ascii') for _ in range(number())]
assert number() == 0 and number() == 0
objects = [(text().decode(), text()) for _ in range(number())]
assert f.read() == b''
print(args)
for name, data in objects:
    print(name, data.hex() if name != 'stdin_stat' else (len(data), struct.unpack_from('<I', data, 24)[0], struct.unpack_from('<q', data, 48)[0]))
"#;

    fn object(kind: InputKind, name: &str, bytes: &[u8]) -> InputObject {
        InputObject { kind, name: name.into(), bytes: bytes.to_vec() }
    }

    #[test]
    fn another_reader_finds_everything() {
        let inputs = [
            object(InputKind::Stdin, "stdin", b"ab\n"),
            object(InputKind::Arg, "arg1", b"-x\0y"),
            object(InputKind::Arg, "arg2", b""),
            object(InputKind::Signed, "n", &(-2i32).to_le_bytes()),
            object(InputKind::Bytes, "", b"\xff"),
            object(InputKind::Bytes, "nothing", b""),
        ];
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.ktest");
        std::fs::write(&path, encoded("prog.c", &inputs).unwrap()).unwrap();
        let answer = Command::new("python3").args(["-c", READER]).arg(&path).output().unwrap();
        assert!(answer.status.success(), "{}", String::from_utf8_lossy(&answer.stderr));
        expect_test::expect![[r#"
            ['prog.c', '-sym-arg', '2', '-sym-arg', '0', '-sym-stdin', '3']
            arg00 2d7800
            arg01 00
            stdin 61620a
            stdin_stat (144, 33188, 3)
            n feffffff
            unnamed ff
        "#]]
        .assert_eq(&String::from_utf8_lossy(&answer.stdout));
        let refused = encoded("p", &[object(InputKind::Env, "HOME", b"x")]).unwrap_err();
        assert_eq!(refused, "env `HOME` has no counterpart in KLEE's runtime");
    }
}
