//! Tests as a plain C file: a function per test with readable inputs and the end it must have. Any C compiler on a
//! POSIX system builds it, without symcrete.
//!
//! A program whose inputs all come from outside (standard input, arguments, variables, files, a socket) is built as
//! it is and started by the tests. One that asks for values while it runs is linked with the tests, which answer.

mod build;

use super::literal;
use super::{Case, Exported};
use crate::atomic;
use crate::test_file::EndFile;
use std::fmt::Write;
use std::io;
use std::path::Path;
use symcrete_event::{InputKind, InputObject};

/// The program under test, as a compiler must be told of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// Names of what is written begin with it.
    pub name: String,
    pub entry: Entry,
    pub cxx: bool,
    /// As the user named them from `folder`; empty for a program that was given as a binary.
    pub files: Vec<String>,
    pub folder: String,
    pub flags: Vec<String>,
    /// Fixed arguments of the program, before those that are input.
    pub arguments: Vec<String>,
    /// Functions whose results were inputs.
    pub input_functions: Vec<String>,
    pub framework: Framework,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Entry {
    Main,
    Fuzzer,
    /// The harness of `--function`, which includes the file that defines the function.
    Harness {
        text: String,
    },
}

/// Who runs the tests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Framework {
    /// A main of their own.
    #[default]
    None,
    /// That, and a CMakeLists.txt that registers every test.
    CTest,
    Check,
    Cmocka,
}

/// How a test meets the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    /// Started as it was built.
    Program,
    /// Its main, compiled as `program_main`, is called.
    Main,
    Fuzzer,
    Harness,
}

const HEADER: &str = include_str!("../../../../runtime/include/symcrete.h");
const INPUTS: &str = include_str!("../../../templates/c/inputs.c");
const DRIVER: &str = include_str!("../../../templates/c/driver.c");
const REQUESTS: &str = include_str!("../../../templates/c/requests.c");
const ENTER_PROGRAM: &str = include_str!("../../../templates/c/enter_program.c");
const ENTER_MAIN: &str = include_str!("../../../templates/c/enter_main.c");
const ENTER_FUZZER: &str = include_str!("../../../templates/c/enter_fuzzer.c");
const ENTER_HARNESS: &str = include_str!("../../../templates/c/enter_harness.c");
const MAIN: &str = include_str!("../../../templates/c/main.c");
const CHECK: &str = include_str!("../../../templates/c/check.c");
const CMOCKA: &str = include_str!("../../../templates/c/cmocka.c");

impl Program {
    /// Why nothing can be exported, where that is so.
    pub(super) fn check(&self, cases: &[Case]) -> Result<(), String> {
        if !self.input_functions.is_empty() {
            return Err(format!(
                "tests of `--input-function {}` cannot be C: only symcrete's compiler can replace the body of a function\n  \
                 `symcrete replay` runs them; `export --format testcomp` has their values",
                self.input_functions.join(" --input-function ")
            ));
        }
        if self.cxx && self.way(cases) == Way::Main {
            return Err(
                "tests of a C++ main that calls symcrete_* or the like cannot be C: its main cannot be renamed\n  \
                        put what main does into `extern \"C\" int LLVMFuzzerTestOneInput(const uint8_t *, size_t)`"
                    .into(),
            );
        }
        Ok(())
    }

    fn way(&self, cases: &[Case]) -> Way {
        let asks = |case: &Case| case.test.objects().unwrap_or_default().iter().any(|o| !o.kind.is_declared());
        match &self.entry {
            Entry::Harness { .. } => Way::Harness,
            Entry::Fuzzer => Way::Fuzzer,
            Entry::Main if cases.iter().any(asks) => Way::Main,
            Entry::Main => Way::Program,
        }
    }
}

pub(super) fn write(to: &Path, program: &Program, cases: &[Case], done: &mut Exported) -> io::Result<()> {
    let way = program.way(cases);
    let build = build::Build { program, way, to };
    if cases.is_empty() {
        return Ok(());
    }
    let mut put = |name: &str, text: &str| {
        done.files += 1;
        atomic::write(&to.join(name), text.as_bytes())
    };
    put(&build.tests(), &text(&build, cases))?;
    if let Entry::Harness { text } = &program.entry {
        put(&build.harness(), &plain_harness(text))?;
    }
    if way != Way::Program {
        put("symcrete.h", HEADER)?;
    }
    if program.framework == Framework::CTest {
        put("CMakeLists.txt", &build.cmake(cases.iter().map(function_name)))?;
    }
    done.notes.extend(build.commands());
    Ok(())
}

fn function_name(case: &Case) -> String {
    match case.bug {
        Some(_) => case.name.replace('-', "_"),
        None => format!("test_{}", case.name),
    }
}

fn text(build: &build::Build<'_>, cases: &[Case]) -> String {
    let program = build.program;
    let mut out =
        format!("/* {} tests of {}, written by symcrete.\n *\n", cases.len(), literal::comment(&program.name));
    for line in build.commands() {
        let _ = writeln!(out, " *   {}", literal::comment(&line));
    }
    out.push_str(" *\n * Each test says which branches it was the first to take. TEST_OUTPUT=1 in the environment shows what the\n * program writes. A test of a bug expects the bug: once it is fixed, change what it expects. */\n");
    out.push_str(INPUTS);
    cases.iter().for_each(|case| one(&mut out, case));
    out.push_str(
        "\nstruct test {\n  const char *name;\n  int (*passes)(void);\n};\nstatic const struct test tests[] = {\n",
    );
    for name in cases.iter().map(function_name) {
        let _ = writeln!(out, "  {{ \"{name}\", {name} }},");
    }
    out.push_str("};\n");
    let arguments: String =
        program.arguments.iter().map(|a| format!("(char[]){{ {} }}, ", literal::text(a.as_bytes(), ""))).collect();
    let _ = writeln!(out, "\n#define FIXED_ARGUMENTS {}", arguments.replace('\n', " ").trim_end());
    out.push_str("static void enter(int argc, char **argv);\n");
    out.push_str(DRIVER);
    out.push_str(match build.way {
        Way::Program => ENTER_PROGRAM,
        Way::Main => ENTER_MAIN,
        Way::Fuzzer => ENTER_FUZZER,
        Way::Harness => ENTER_HARNESS,
    });
    if build.way != Way::Program {
        out.push_str(REQUESTS);
    }
    let find = match build.way {
        Way::Program => "if (!find_program(&argc, &argv))\n    return 2;",
        _ => "",
    };
    let main = match program.framework {
        Framework::None | Framework::CTest => MAIN,
        Framework::Check => CHECK,
        Framework::Cmocka => CMOCKA,
    };
    let main = main.replace("SUITE", &literal::text(program.name.as_bytes(), ""));
    out.push_str(&if find.is_empty() {
        main.replace("  FIND_PROGRAM\n", "")
    } else {
        main.replace("FIND_PROGRAM", find)
    });
    out
}

/// One function.
fn one(out: &mut String, case: &Case) {
    let name = function_name(case);
    out.push_str("\n/* ");
    if let Some(bug) = &case.bug {
        let place = crate::bug_folder::place(&bug.file, bug.line, &bug.function);
        let _ = write!(out, "{} at {}", bug.kind, literal::comment(&place));
        if bug.under_constrained {
            out.push_str(" (under-constrained: needs parameters that no caller may ever pass)");
        }
    } else {
        let _ = write!(out, "{}", literal::comment(&case.test.origin));
        for side in &case.test.new_sides {
            let _ = write!(out, "\n   {}", literal::comment(side));
        }
    }
    let _ = writeln!(out, " */\nstatic int {name}(void) {{");
    let objects = case.test.objects().unwrap_or_default();
    if !objects.is_empty() {
        out.push_str("  const struct input inputs[] = {\n");
        for object in &objects {
            let _ = writeln!(out, "    {},", input(object));
        }
        out.push_str("  };\n");
    }
    let list = if objects.is_empty() { "NULL, 0" } else { "inputs, COUNT(inputs)" };
    let _ = writeln!(out, "  return run(\"{name}\", {list}, {});\n}}", end(case));
}

fn end(case: &Case) -> String {
    // What undefined behaviour does is the compiler's choice.
    if case.bug.as_ref().is_some_and(|b| ["undefined", "address"].contains(&b.kind.as_str())) {
        return "ANYHOW, 0".into();
    }
    match case.test.end {
        EndFile::Exit(code) => format!("EXIT, {code}"),
        EndFile::Signal(signal) => {
            let name = crate::signal_name(signal);
            let number = signal.to_string();
            format!("SIGNAL, {}", if name.starts_with("SIG") { &name } else { &number })
        }
        EndFile::Timeout(_) => "TIMEOUT, 0".into(),
    }
}

fn input(object: &InputObject) -> String {
    const INDENT: &str = "      ";
    let text = literal::text(&object.bytes, INDENT);
    let name = literal::text(object.name.as_bytes(), " ").replace('\n', "");
    match object.kind {
        InputKind::Stdin => format!("STANDARD_INPUT({text})"),
        InputKind::Socket => format!("SOCKET_INPUT({text})"),
        InputKind::Arg => format!("PROGRAM_ARGUMENT({text})"),
        InputKind::Env => format!("ENVIRONMENT({name}, {text})"),
        InputKind::File => format!("FILE_INPUT({name}, {text})"),
        InputKind::Buffer => format!("DATA({text})"),
        _ => match literal::number(object) {
            Some((ty, value)) => format!("VALUE({name}, {ty}, {value})"),
            None => format!("BYTES({name}, {text})"),
        },
    }
}

/// The harness for any compiler: our header lies beside it, and only clang knows clang's pragmas.
fn plain_harness(text: &str) -> String {
    text.replace("#include <symcrete.h>", "#include \"symcrete.h\"")
        .replace("#pragma clang diagnostic ignored \"-Weverything\"\n", "")
}
