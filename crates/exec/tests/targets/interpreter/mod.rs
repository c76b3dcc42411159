//! An interpreter of the program model's instructions: slow, plain and independent of everything that made
//! them. What it prints must be what the native program prints.

mod library;
mod machine;
mod memory;
mod scalar;

use crate::build::{here, modelled, plain};
use machine::Machine;
use std::path::Path;
use std::process::Command;
use symcrete_program::Program;

/// What a program prints and returns when its model is interpreted.
fn interpreted(source: &Path) -> (String, i32) {
    let binary = modelled(source);
    let program = Program::from_elf(&std::fs::read(&binary).unwrap()).unwrap();
    let (id, unit) = program.units().find(|(_, u)| u.functions.iter().any(|f| f.name == "main")).unwrap();
    let code = program.details(id).unwrap().code().expect("the model has instructions");
    assert_eq!(code.functions.len(), unit.functions.len());
    for (function, model) in code.functions.iter().zip(&unit.functions) {
        assert_eq!(function.blocks.len(), model.blocks.len(), "{}", model.name);
    }
    Machine::new(unit, code).run_main()
}

fn native(source: &Path) -> (String, i32) {
    let output = Command::new(plain(source)).output().unwrap();
    (String::from_utf8(output.stdout).unwrap(), output.status.code().unwrap())
}

fn agree(name: &str) {
    let source = here(&format!("tests/c/model/{name}.c"));
    assert_eq!(interpreted(&source), native(&source), "{name}");
}

#[test]
fn integers() {
    agree("integers");
}

#[test]
fn memory_and_globals() {
    agree("memory");
}

#[test]
fn calls_and_recursion() {
    agree("functions");
}

#[test]
fn floating_point() {
    agree("floats");
}

/// Programs nobody wrote by hand; without csmith on the machine there are none.
#[test]
fn generated_programs() {
    let folder = tempfile::tempdir().unwrap();
    let small = ["--max-funcs", "4", "--max-block-depth", "3", "--max-expr-complexity", "6", "--no-bitfields"];
    for seed in 1..=6 {
        let source = folder.path().join(format!("generated{seed}.c"));
        let made =
            Command::new("csmith").args(["--seed", &seed.to_string()]).args(small).arg("-o").arg(&source).output();
        if !made.is_ok_and(|m| m.status.success()) {
            eprintln!("csmith is not there: nothing is generated");
            return;
        }
        let text = std::fs::read_to_string(&source).unwrap();
        std::fs::write(&source, text.replace("#include \"csmith.h\"", "#include \"/usr/include/csmith/csmith.h\""))
            .unwrap();
        assert_eq!(interpreted(&source), native(&source), "seed {seed}");
    }
}
