//! Models of C library functions: exactly those that the pass knows of exist, and each agrees with the
//! native function on random arguments.

mod engine;

use engine::{clang, crate_folder, object, piece, scratch, succeed};
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::Command;
use symcrete_abi::libc_models::{NAMES, PREFIX};

fn models() -> Vec<PathBuf> {
    let mut sources: Vec<PathBuf> = std::fs::read_dir(crate_folder().join("libc"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|e| e == "c"))
        .collect();
    sources.sort();
    sources.iter().map(|source| object(source, &["-fno-builtin", "-fexceptions"])).collect()
}

/// What the objects define, and what they need.
fn symbols(objects: &[PathBuf], undefined: bool) -> BTreeSet<String> {
    let flag = if undefined { "--undefined-only" } else { "--defined-only" };
    let listing = succeed(Command::new("nm").args(["-g", "--format=posix", flag]).args(objects)).stdout;
    let text = String::from_utf8(listing).unwrap();
    text.lines().filter_map(|line| line.split_once(' ')).map(|(name, _)| name.to_string()).collect()
}

#[test]
fn the_table_of_names_is_what_exists() {
    assert!(NAMES.is_sorted(), "the pass searches the table by halves");
    let defined: BTreeSet<String> =
        symbols(&models(), false).iter().filter_map(|name| name.strip_prefix(PREFIX)).map(String::from).collect();
    let listed: BTreeSet<String> = NAMES.iter().map(|name| name.to_string()).collect();
    assert_eq!(listed, defined);
}

/// A model that called the function it stands for by its plain name would be called in its own place.
#[test]
fn models_call_native_functions_by_their_own_way_only() {
    let needed = symbols(&models(), true);
    // These are what the code generator makes of the compiler's own copies, which the pass sees as such.
    let built_in = ["memcpy", "memmove", "memset"];
    let wrong: Vec<&String> =
        needed.iter().filter(|name| NAMES.contains(&name.as_str()) && !built_in.contains(&name.as_str())).collect();
    assert!(wrong.is_empty(), "{wrong:?}");
}

fn compare(name: &str, rounds: &str) {
    let tests = crate_folder().join("tests/c");
    let out = scratch().join(name);
    let mut link = clang();
    link.args(["-O1", "-g", "-fno-builtin", "-w"]).arg(tests.join(format!("{name}.c"))).arg(tests.join("stubs.c"));
    succeed(link.args(models()).arg(piece("native.c")).arg("-lm").arg("-o").arg(&out));
    let said = succeed(Command::new(&out).arg(rounds));
    let text = String::from_utf8(said.stdout).unwrap();
    assert!(text.starts_with("agreed"), "{text}");
    assert!(!text.contains("without labels"), "{text}");
}

#[test]
fn models_agree_with_native_functions() {
    // One after the other: they share object files.
    compare("models_strings", "20000");
    compare("models_options", "300000");
    compare("models_streams", "3000");
    compare("models_format", "200000");
    compare("models_math", "200000");
    compare("models_floats", "300000");
}

/// The parts of the C++ library that are built from its headers, with our own words for what the headers
/// only declare.
fn cxx_models() -> Vec<PathBuf> {
    let folder = crate_folder().join("libcxx");
    let mut objects = vec![];
    for name in ["string", "istream", "files", "strings"] {
        let out = scratch().join(format!("cxx-{name}.o"));
        let mut compile = Command::new("clang++-22");
        compile.args(["-O1", "-std=c++17", "-fPIC", "-Wall", "-Wextra", "-Werror", "-c", "-I"]).arg(&folder);
        succeed(compile.arg(folder.join(format!("{name}.cpp"))).arg("-o").arg(&out));
        objects.push(out);
    }
    objects
}

#[test]
fn streams_built_from_the_headers_read_as_the_library_does() {
    let build = |name: &str, objects: &[PathBuf]| {
        let out = scratch().join(name);
        let mut link = Command::new("clang++-22");
        link.args(["-O1", "-std=c++17", "-fuse-ld=lld"]).arg(crate_folder().join("tests/c/models_istream.cpp"));
        succeed(link.args(objects).arg("-o").arg(&out));
        out
    };
    let programs = [build("istream-native", &[]), build("istream-ours", &cxx_models())];
    let file = scratch().join("istream-input");
    let both = |arguments: &[&str], input: Option<&[u8]>| {
        let [native, ours] = programs.each_ref().map(|program| {
            let mut run = Command::new(program);
            run.args(arguments);
            if let Some(input) = input {
                std::fs::write(&file, input).unwrap();
                run.stdin(std::fs::File::open(&file).unwrap());
            }
            succeed(&mut run).stdout
        });
        let [native, ours] = [native, ours].map(|said| String::from_utf8_lossy(&said).into_owned());
        let differs = native.lines().zip(ours.lines()).position(|(a, b)| a != b);
        assert_eq!(native, ours, "{arguments:?} on {input:?}, from line {differs:?}");
    };
    both(&["1", "1500", file.to_str().unwrap()], None);
    let inputs: [&[u8]; 6] = [b"", b" 12 ab\nx\n\n-7x", b"0x1f 1 \n\n", b"abcdefgh", b"\xff\0 9", b"-9999999999 1e5.5"];
    for operations in ["abc", "lcqo", "lvtu", "dexgfz", "hqkqjq", "-lcqoa", "-kxrpsy", "nnmwo", "sssaooo", "-ejijib"] {
        for input in inputs {
            both(&[operations], Some(input));
        }
    }
}
