//! How the tests are built: commands for a person, and a CMakeLists.txt.

use super::{Entry, Framework, Program, Way};
use crate::text::shell_word;
use std::fmt::Write;
use std::path::Path;

pub(super) struct Build<'a> {
    pub program: &'a Program,
    pub way: Way,
    pub to: &'a Path,
}

impl Build<'_> {
    pub fn tests(&self) -> String {
        format!("{}_tests.c", self.program.name)
    }

    pub fn harness(&self) -> String {
        format!("{}_harness.{}", self.program.name, if self.program.cxx { "cc" } else { "c" })
    }

    fn compiler(&self) -> &'static str {
        if self.program.cxx { "c++" } else { "cc" }
    }

    fn library(&self) -> &'static [&'static str] {
        match self.program.framework {
            Framework::None | Framework::CTest => &[],
            Framework::Check => &["-lcheck", "-lsubunit", "-lm", "-lrt", "-lpthread"],
            Framework::Cmocka => &["-lcmocka"],
        }
    }

    fn in_export(&self, name: &str) -> String {
        self.to.join(name).display().to_string()
    }

    /// What the program's own files are compiled with, so that they fit.
    fn own_flags(&self) -> Vec<String> {
        let include = || ["-I".to_string(), self.to.display().to_string()];
        match self.way {
            Way::Program => Vec::new(),
            Way::Main => ["-Dmain=program_main".to_string()].into_iter().chain(include()).collect(),
            Way::Fuzzer => include().to_vec(),
            Way::Harness => {
                let more = ["-Dmain=symcrete_user_main", "-iquote", "."].map(String::from);
                more.into_iter().chain(include()).collect()
            }
        }
    }

    /// To be typed where the program was built.
    pub fn commands(&self) -> Vec<String> {
        let program = self.program;
        let tests = format!("{}_tests", program.name);
        let line = |words: Vec<String>| words.iter().map(|w| shell_word(w)).collect::<Vec<_>>().join(" ");
        let words = |list: &[&str]| list.iter().map(|w| w.to_string()).collect::<Vec<_>>();
        let mut driver = words(&["cc", &self.in_export(&self.tests()), "-o", &tests]);
        driver.extend(words(self.library()));
        if self.way == Way::Program {
            let binary = format!("./{}", program.name);
            let mut build = words(&[self.compiler(), "-o", &program.name]);
            build.extend(program.files.iter().cloned());
            build.extend(program.flags.iter().cloned());
            let run = line(vec![format!("./{tests}"), binary]);
            let build = if program.files.is_empty() { "(build the program)".into() } else { line(build) };
            return vec![build, line(driver), run];
        }
        let mut files: Vec<String> = program.files.clone();
        if let Entry::Harness { .. } = program.entry {
            files.insert(0, self.in_export(&self.harness()));
        }
        let tests_file = self.in_export(&self.tests());
        let mut commands = Vec::new();
        let mut build = words(&[self.compiler()]);
        build.extend(self.own_flags());
        build.extend(files.iter().cloned());
        if program.cxx {
            // The tests are C, which a C++ compiler would not take.
            commands.push(line(words(&["cc", "-c", &tests_file, "-o", &format!("{tests}.o")])));
            build.push(format!("{tests}.o"));
        } else {
            build.push(tests_file);
        }
        build.extend(words(&["-o", &tests]));
        build.extend(program.flags.iter().cloned());
        build.extend(words(self.library()));
        if program.files.is_empty() && files.is_empty() {
            commands.push("(with the program's own objects)".into());
        }
        commands.extend([line(build), format!("./{tests}")]);
        commands
    }

    pub fn cmake(&self, names: impl Iterator<Item = String>) -> String {
        let program = self.program;
        let name: String = program.name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
        let list = |words: &[String]| words.iter().map(|w| escaped(w)).collect::<Vec<_>>().join(" ");
        let languages = if program.cxx { "C CXX" } else { "C" };
        let mut out = format!(
            "# Written by symcrete: every test of {} as a test of CTest.\ncmake_minimum_required(VERSION 3.13)\n\
             project({name}_tests {languages})\nenable_testing()\n\n\
             set(PROGRAM_FOLDER {} CACHE PATH \"where the program's sources lie\")\nset(FLAGS {})\n\n",
            program.name.replace(['\n', '\r'], " "),
            escaped(&program.folder),
            list(&program.flags)
        );
        let mut sources: Vec<String> =
            program
                .files
                .iter()
                .map(|f| {
                    if Path::new(f).is_absolute() {
                        escaped(f)
                    } else {
                        format!("\"${{PROGRAM_FOLDER}}/{}\"", inner(f))
                    }
                })
                .collect();
        if let Entry::Harness { .. } = program.entry {
            sources.insert(0, escaped(&self.harness()));
        }
        let tests = escaped(&self.tests());
        let (sources, command) = (sources.join(" "), format!("{name}_tests"));
        if self.way == Way::Program {
            let _ = writeln!(out, "add_executable({name}_program {sources})\nadd_executable({name}_tests {tests})");
            let _ = writeln!(out, "set(UNDER_TEST {name}_program)");
        } else {
            let _ = writeln!(out, "add_executable({name}_tests {tests})\nadd_library({name}_program OBJECT {sources})");
            let _ = writeln!(out, "target_link_libraries({name}_tests PRIVATE {name}_program ${{FLAGS}})");
            let _ = writeln!(out, "set(UNDER_TEST {name}_program)");
            let rename = match self.way {
                Way::Main => Some("main=program_main"),
                Way::Harness => Some("main=symcrete_user_main"),
                _ => None,
            };
            if let Some(rename) = rename {
                let _ = writeln!(out, "target_compile_definitions({name}_program PRIVATE {rename})");
            }
            let _ = writeln!(
                out,
                "target_include_directories({name}_program PRIVATE \"${{CMAKE_CURRENT_SOURCE_DIR}}\")\n\
                 target_compile_options({name}_program PRIVATE \"SHELL:-iquote \\\"${{PROGRAM_FOLDER}}\\\"\")"
            );
        }
        out.push_str("target_compile_options(${UNDER_TEST} PRIVATE ${FLAGS})\n");
        if self.way == Way::Program {
            out.push_str("target_link_libraries(${UNDER_TEST} PRIVATE ${FLAGS})\n");
        }
        let first = if self.way == Way::Program { format!(" $<TARGET_FILE:{name}_program>") } else { String::new() };
        out.push('\n');
        for test in names {
            let _ = writeln!(out, "add_test(NAME {name}.{test} COMMAND {command}{first} {test})");
        }
        out
    }
}

fn inner(word: &str) -> String {
    word.replace('\\', "\\\\").replace('"', "\\\"").replace('$', "\\$").replace(';', "\\;")
}

/// For CMake.
fn escaped(word: &str) -> String {
    format!("\"{}\"", inner(word))
}
