//! A stage for the wrapper: real object files and a plugin that does nothing, so that what is tested is
//! the wrapper and not the instrumentation.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use symcrete_toolchain::layout::Language;
use symcrete_toolchain::llvm::plugin_name;
use symcrete_toolchain::wrapper::{self, Invocation};
use symcrete_toolchain::{Layout, Places};

pub struct Stage {
    pub root: tempfile::TempDir,
    pub layout: Layout,
}

/// Says that it was loaded, by a file; registers no pass.
const PLUGIN: &str = r#"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
/* As LLVM 22 has it. */
struct info { uint32_t api; const char *name, *version; void (*reg)(void *); void *later; };
static void nothing(void *builder) {
  const char *log = getenv("PLUGIN_LOG"), *command = getenv("SYMCRETE_COMMAND"), *folder = getenv("SYMCRETE_FOLDER");
  FILE *f = log ? fopen(log, "a") : 0;
  if (f) { fprintf(f, "%s %s\n", folder ? folder : "-", command ? command : "-"); fclose(f); }
}
struct info llvmGetPassPluginInfo(void) { return (struct info){2, "nothing", "0", nothing, 0}; }
"#;

impl Stage {
    pub fn new() -> Stage {
        let root = tempfile::tempdir().unwrap();
        let library = root.path().join("lib/symcrete");
        let include = root.path().join("include/symcrete");
        std::fs::create_dir_all(root.path().join("bin")).unwrap();
        std::fs::create_dir_all(&library).unwrap();
        std::fs::create_dir_all(&include).unwrap();
        std::fs::create_dir_all(root.path().join("work")).unwrap();
        std::fs::write(include.join("symcrete.h"), "int symcrete_int(const char *name);\n").unwrap();
        let path = std::env::var_os("PATH").map(|p| std::env::split_paths(&p).collect()).unwrap_or_default();
        let layout = Layout::find(Places { executable: root.path().join("bin/symcrete"), path, ..Places::default() });
        let clang = layout.clang(Language::C).expect("clang is installed by the set-up");
        let build = |code: &str, flags: &[&str], name: &str| {
            let source = root.path().join("piece.c");
            std::fs::write(&source, code).unwrap();
            let out = Command::new(&clang).args(flags).arg(&source).arg("-o").arg(library.join(name)).output().unwrap();
            assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
        };
        let version = layout.llvm().unwrap().version.unwrap();
        build(PLUGIN, &["-shared", "-fPIC"], &plugin_name(version));
        build("int begin_marks __attribute__((section(\"marks\"), used));", &["-c"], Layout::BEGIN);
        build("int end_marks __attribute__((section(\"marks\"), used));", &["-c"], Layout::END);
        build(
            "int LLVMFuzzerTestOneInput(const unsigned char *, unsigned long);\nint main(void) { return LLVMFuzzerTestOneInput((const unsigned char *)\"hi\", 2); }",
            &["-c"],
            "main.o",
        );
        build("void __symcrete_lost(int a, int b) { (void)a; (void)b; }", &["-c"], "runtime.o");
        for (archive, object) in [(Layout::MAIN, "main.o"), (Layout::RUNTIME, "runtime.o")] {
            let status =
                Command::new("ar").arg("rcs").arg(library.join(archive)).arg(library.join(object)).status().unwrap();
            assert!(status.success());
        }
        Stage { layout, root }
    }

    pub fn work(&self) -> PathBuf {
        self.root.path().join("work")
    }

    pub fn file(&self, name: &str, contents: &str) {
        let path = self.work().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, contents).unwrap();
    }

    pub fn rewrite(&self, arguments: &str) -> Invocation {
        self.rewrite_in(Language::C, arguments)
    }

    pub fn rewrite_in(&self, language: Language, arguments: &str) -> Invocation {
        let arguments: Vec<OsString> = arguments.split_whitespace().map(OsString::from).collect();
        wrapper::rewrite(language, arguments, &self.work(), &self.layout).unwrap()
    }

    /// Starts what the wrapper would start, in the working folder.
    pub fn cc(&self, arguments: &str) -> Output {
        self.start(&self.rewrite(arguments))
    }

    pub fn start(&self, invocation: &Invocation) -> Output {
        Command::new(&invocation.program)
            .args(&invocation.arguments)
            .envs(invocation.environment.iter().map(|(k, v)| (k, v)))
            .env("PLUGIN_LOG", self.root.path().join("log"))
            .current_dir(self.work())
            .output()
            .unwrap()
    }

    /// What the plugin wrote, and forgets it.
    pub fn log(&self) -> String {
        let path = self.root.path().join("log");
        let text = std::fs::read_to_string(&path).unwrap_or_default();
        let _ = std::fs::remove_file(path);
        text
    }

    pub fn show(&self, invocation: &Invocation) -> String {
        let root = self.root.path().canonicalize().unwrap();
        let mut out: Vec<String> = invocation
            .arguments
            .iter()
            .map(|a| a.to_string_lossy().replace(&*root.to_string_lossy(), "ROOT"))
            .collect();
        out.extend(invocation.notes.iter().map(|n| format!("note: {n}")));
        out.join("\n") + "\n"
    }

    pub fn run(&self, program: &str) -> Output {
        Command::new(Path::new(&self.work()).join(program)).current_dir(self.work()).output().unwrap()
    }
}

/// Fails with clang's words unless it succeeded in silence.
#[track_caller]
pub fn silent(output: &Output) {
    assert!(
        output.status.success() && output.stderr.is_empty(),
        "{} {}{}",
        output.status,
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
}
