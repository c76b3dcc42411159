//! What a clang command line asks for, word by word.
//!
//! Understands only as much as the wrapper must change or decide; everything else is [`Role::Other`] and
//! keeps its place and spelling. Nothing is rewritten here.

use std::ffi::{OsStr, OsString};

/// How far clang goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    /// `-E`, `-M`, `-MM`.
    Preprocess,
    /// `-fsyntax-only`, `--analyze`, a precompiled header: no code comes out.
    Check,
    /// `-S`.
    Assembly,
    /// `-c`.
    Object,
    /// The default, down to a program, a shared object (`-shared`) or a relocatable file (`-r`).
    Link,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InputKind {
    /// C, C++, or something else that becomes LLVM's code and meets the plugin.
    Source,
    Assembler,
    Header,
    /// Object files, archives, shared objects, linker scripts.
    Linker,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Role {
    Input(InputKind),
    Output,
    Stage(Stage),
    /// clang only answers a question (`--version`, `-print-…`).
    Query,
    Optimise,
    /// `-g…`; false for `-g0`.
    Debug(bool),
    /// Link-time optimisation and what needs it.
    Lto,
    /// `-fsanitize=a,b`.
    Sanitize,
    /// `-fno-sanitize=a,b`.
    NoSanitize,
    /// Settings of a sanitizer that the tracked build leaves out.
    SanitizerDetail,
    /// `-x LANGUAGE`.
    Language,
    Shared,
    Relocatable,
    /// `-l…`.
    Library,
    /// `-Wl,…` and `-Xlinker …`.
    Linker,
    /// `-MD`, `-MF FILE`, …
    Dependency,
    /// Code for another machine: the runtime does not exist there.
    OtherMachine,
    Other,
}

/// One option with its arguments, or one input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word {
    pub role: Role,
    pub text: Vec<OsString>,
}

impl Word {
    /// The first word as text, for matching.
    pub fn head(&self) -> std::borrow::Cow<'_, str> {
        self.text[0].to_string_lossy()
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandLine {
    pub words: Vec<Word>,
}

/// Options whose argument is the next word.
const SEPARATE: &[&str] = &[
    "-A",
    "-D",
    "-F",
    "-G",
    "-I",
    "-L",
    "-T",
    "-U",
    "-Xanalyzer",
    "-Xassembler",
    "-Xclang",
    "-Xopenmp-target",
    "-Xpreprocessor",
    "-arch",
    "-aux-info",
    "-b",
    "-dependency-file",
    "-e",
    "-framework",
    "-gcc-toolchain",
    "-idirafter",
    "-iframework",
    "-imacros",
    "-imultilib",
    "-include",
    "-include-pch",
    "-index-store-path",
    "-install_name",
    "-iprefix",
    "-iquote",
    "-isysroot",
    "-isystem",
    "-isystem-after",
    "-ivfsoverlay",
    "-iwithprefix",
    "-iwithprefixbefore",
    "-iwithsysroot",
    "-ld-path",
    "-mllvm",
    "-mthread-model",
    "-rpath",
    "-serialize-diagnostics",
    "-stdlib++-isystem",
    "-u",
    "-undefined",
    "-weak-l",
    "-working-directory",
    "-z",
    "--config",
    "--include",
    "--param",
    "--sysroot",
    "--output-class-directory",
    "--serialize-diagnostics",
    "--undefined",
];

/// Options that take the next word and have a role of their own.
const SEPARATE_WITH_ROLE: &[(&str, Role)] = &[
    ("-o", Role::Output),
    ("--output", Role::Output),
    ("-x", Role::Language),
    ("--language", Role::Language),
    ("-l", Role::Library),
    ("-Xlinker", Role::Linker),
    ("-MF", Role::Dependency),
    ("-MT", Role::Dependency),
    ("-MQ", Role::Dependency),
    ("-MJ", Role::Dependency),
];

impl CommandLine {
    pub fn parse(arguments: Vec<OsString>) -> CommandLine {
        let mut words = Vec::new();
        let mut language: Option<InputKind> = None;
        let mut arguments = arguments.into_iter();
        while let Some(first) = arguments.next() {
            let text = first.to_string_lossy().into_owned();
            let mut word = Word { role: Role::Other, text: vec![first] };
            if !text.starts_with('-') || text == "-" {
                word.role = Role::Input(language.unwrap_or_else(|| kind_of(&text)));
            } else if let Some((_, role)) = SEPARATE_WITH_ROLE.iter().find(|(name, _)| *name == text) {
                word.role = role.clone();
                word.text.extend(arguments.next());
            } else if text == "-target" || text == "--target" {
                word.text.extend(arguments.next());
                if word.text.last().is_none_or(|t| !is_our_machine(t)) {
                    word.role = Role::OtherMachine;
                }
            } else if text.starts_with("-Xarch_") || SEPARATE.contains(&text.as_str()) {
                word.text.extend(arguments.next());
            } else {
                word.role = role_of(&text);
            }
            if word.role == Role::Language {
                language = language_of(&word);
            }
            words.push(word);
        }
        CommandLine { words }
    }

    /// The earliest stage any option asks for, as clang does it; headers alone become precompiled headers.
    pub fn stage(&self) -> Stage {
        let asked = self.words.iter().filter_map(|w| if let Role::Stage(s) = w.role { Some(s) } else { None }).min();
        match asked {
            Some(stage) => stage,
            None if self.has(|r| matches!(r, Role::Input(_)))
                && !self.has(|r| matches!(r, Role::Input(k) if *k != InputKind::Header)) =>
            {
                Stage::Check
            }
            None => Stage::Link,
        }
    }

    pub fn has(&self, role: impl Fn(&Role) -> bool) -> bool {
        self.words.iter().any(|w| role(&w.role))
    }

    pub fn inputs(&self) -> impl Iterator<Item = (InputKind, &OsStr)> {
        self.words
            .iter()
            .filter_map(|w| if let Role::Input(kind) = w.role { Some((kind, w.text[0].as_os_str())) } else { None })
    }

    /// Something is compiled, linked or checked; otherwise clang just answers a question or complains.
    pub fn works(&self) -> bool {
        self.has(|r| matches!(r, Role::Input(_) | Role::Library)) && !self.has(|r| *r == Role::Query)
    }

    /// The sanitizers still on after all `-fsanitize=` and `-fno-sanitize=` words.
    pub fn sanitizers(&self) -> Vec<String> {
        let mut on: Vec<String> = Vec::new();
        for word in &self.words {
            let head = word.head();
            let Some((_, list)) = head.split_once('=') else { continue };
            for name in list.split(',') {
                match word.role {
                    Role::Sanitize if !on.iter().any(|n| n == name) => on.push(name.to_string()),
                    Role::NoSanitize if name == "all" => on.clear(),
                    Role::NoSanitize => on.retain(|n| n != name),
                    _ => {}
                }
            }
        }
        on
    }

    pub fn into_arguments(self) -> Vec<OsString> {
        self.words.into_iter().flat_map(|w| w.text).collect()
    }
}

fn role_of(text: &str) -> Role {
    match text {
        "-E" | "-M" | "-MM" | "--preprocess" | "--dependencies" | "--user-dependencies" => {
            Role::Stage(Stage::Preprocess)
        }
        "-fsyntax-only"
        | "--analyze"
        | "-emit-ast"
        | "--precompile"
        | "-verify-pch"
        | "-rewrite-objc"
        | "-rewrite-legacy-objc" => Role::Stage(Stage::Check),
        "-S" | "--assemble" => Role::Stage(Stage::Assembly),
        "-c" | "--compile" => Role::Stage(Stage::Object),
        "--version" | "--help" | "-help" | "--help-hidden" | "--autocomplete" | "-dumpversion" | "-dumpmachine"
        | "-v-all" => Role::Query,
        "-shared" | "--shared" | "-dynamiclib" => Role::Shared,
        "-r" => Role::Relocatable,
        "-MD" | "-MMD" | "-MP" | "-MG" | "-MV" | "--write-dependencies" | "--write-user-dependencies" => {
            Role::Dependency
        }
        "-m32" | "-m16" | "-mx32" => Role::OtherMachine,
        "-g0" | "-ggdb0" => Role::Debug(false),
        "-fwhole-program-vtables"
        | "-fsplit-lto-unit"
        | "-ffat-lto-objects"
        | "-fvirtual-function-elimination"
        | "-fuse-linker-plugin" => Role::Lto,
        "-shared-libasan" | "-shared-libsan" | "-static-libasan" | "-static-libsan" => Role::SanitizerDetail,
        _ => role_by_prefix(text),
    }
}

fn role_by_prefix(text: &str) -> Role {
    const SANITIZER_DETAILS: &[&str] = &[
        "-fsanitize-address-",
        "-fsanitize-memory-",
        "-fsanitize-thread-",
        "-fsanitize-hwaddress-",
        "-fsanitize-coverage",
        "-fsanitize-cfi-",
    ];
    let is = |prefix: &str| text.starts_with(prefix);
    if is("--target=") {
        if is_our_machine(OsStr::new(&text["--target=".len()..])) { Role::Other } else { Role::OtherMachine }
    } else if is("-print-") || is("--print-") || is("--autocomplete=") || is("--help=") {
        Role::Query
    } else if is("-O") {
        Role::Optimise
    } else if is("-flto") || is("-fno-lto") || is("-fthinlto") {
        Role::Lto
    } else if is("-fsanitize=") {
        Role::Sanitize
    } else if is("-fno-sanitize=") {
        Role::NoSanitize
    } else if SANITIZER_DETAILS.iter().any(|p| is(p)) {
        Role::SanitizerDetail
    } else if is("-x") && text.len() > 2 || is("--language=") {
        Role::Language
    } else if is("-o") && !is("-object") && text.len() > 2 {
        Role::Output
    } else if is("-MF") || is("-MT") || is("-MQ") || is("-MJ") || is("-Wp,-M") {
        Role::Dependency
    } else if is("-Wl,") {
        Role::Linker
    } else if is("-l") {
        Role::Library
    } else if is_debug(text) {
        Role::Debug(true)
    } else {
        Role::Other
    }
}

/// Options that turn debug information on. Others that begin with `-g` (`-gcc-toolchain`, `-gno-…`,
/// `-gz`, `-gsplit-dwarf` and the like) change its form only.
fn is_debug(text: &str) -> bool {
    matches!(
        text,
        "-g" | "-g1" | "-g2" | "-g3" | "-gline-tables-only" | "-gline-directives-only" | "-gmlt" | "-gfull" | "--debug"
    ) || text.starts_with("-ggdb")
        || text.strip_prefix("-gdwarf-").is_some_and(|v| matches!(v, "2" | "3" | "4" | "5"))
        || text == "-gdwarf"
        || text == "-glldb"
        || text == "-gstabs"
}

fn is_our_machine(triple: &OsStr) -> bool {
    let triple = triple.to_string_lossy();
    (triple.starts_with("x86_64") || triple.starts_with("amd64"))
        && triple.contains("linux")
        && !triple.ends_with("x32")
}

fn language_of(word: &Word) -> Option<InputKind> {
    let last = word.text.last()?.to_string_lossy().into_owned();
    let name = last.strip_prefix("--language=").or_else(|| last.strip_prefix("-x")).unwrap_or(&last);
    match name {
        "none" => None,
        "assembler" | "assembler-with-cpp" => Some(InputKind::Assembler),
        header if header.ends_with("-header") || header.ends_with("-user-header") => Some(InputKind::Header),
        _ => Some(InputKind::Source),
    }
}

fn kind_of(path: &str) -> InputKind {
    let name = path.rsplit('/').next().unwrap_or(path);
    match name.rsplit_once('.').map(|(_, ending)| ending) {
        Some(
            "c" | "i" | "cc" | "cp" | "cxx" | "cpp" | "CPP" | "c++" | "C" | "ii" | "m" | "M" | "mm" | "mi" | "mii"
            | "ll" | "bc" | "cppm" | "ixx",
        ) => InputKind::Source,
        Some("s" | "S" | "sx" | "asm") => InputKind::Assembler,
        Some("h" | "H" | "hh" | "hp" | "hpp" | "hxx" | "h++" | "HPP" | "tcc") => InputKind::Header,
        _ if path == "-" => InputKind::Source,
        _ => InputKind::Linker,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &str) -> CommandLine {
        CommandLine::parse(text.split_whitespace().map(OsString::from).collect())
    }

    #[test]
    fn stages() {
        for (text, stage) in [
            ("a.c", Stage::Link),
            ("-c a.c -o a.o", Stage::Object),
            ("-c -S a.c", Stage::Assembly),
            ("-MD -MF a.d -c a.c", Stage::Object),
            ("-MM a.c", Stage::Preprocess),
            ("-E -", Stage::Preprocess),
            ("a.h", Stage::Check),
            ("-x c-header a -o a.gch", Stage::Check),
            ("-fsyntax-only a.c", Stage::Check),
            ("a.h a.c", Stage::Link),
            ("-lfoo", Stage::Link),
            ("a.o -o c", Stage::Link),
            ("-I -c a.o", Stage::Link),
            ("-Xlinker -S -Xclang -E a.o", Stage::Link),
        ] {
            assert_eq!(line(text).stage(), stage, "{text}");
        }
    }

    #[test]
    fn inputs_and_their_languages() {
        let all =
            |text: &str| line(text).inputs().map(|(k, n)| (k, n.to_string_lossy().into_owned())).collect::<Vec<_>>();
        use InputKind::*;
        assert_eq!(
            all("a.c -o b.c c.o -I d.c libe.a f.s -x c g -x none h -xc++ i"),
            [
                (Source, "a.c"),
                (Linker, "c.o"),
                (Linker, "libe.a"),
                (Assembler, "f.s"),
                (Source, "g"),
                (Linker, "h"),
                (Source, "i")
            ]
            .map(|(k, n)| (k, n.to_string()))
        );
        assert_eq!(all("-oout -include x.h -DA -D B -"), [(Source, "-".to_string())]);
    }

    #[test]
    fn questions_are_not_work() {
        for text in ["--version", "-v", "-print-prog-name=ld", "-dumpmachine", "", "-o x", "--print-search-dirs a.c"] {
            assert!(!line(text).works(), "{text}");
        }
        for text in ["a.c", "-v a.c", "-E -", "-lm"] {
            assert!(line(text).works(), "{text}");
        }
    }

    #[test]
    fn sanitizers_follow_the_order() {
        assert_eq!(line("-fsanitize=address,undefined -fno-sanitize=address").sanitizers(), ["undefined"]);
        assert!(line("-fsanitize=address -fno-sanitize=all").sanitizers().is_empty());
    }

    #[test]
    fn other_machines() {
        for text in ["-m32", "--target=aarch64-linux-gnu", "-target arm-none-eabi"] {
            assert!(line(text).has(|r| *r == Role::OtherMachine), "{text}");
        }
        for text in ["-m64", "--target=x86_64-pc-linux-gnu", "-target x86_64-linux-gnu", "-march=native"] {
            assert!(!line(text).has(|r| *r == Role::OtherMachine), "{text}");
        }
    }

    #[test]
    fn nothing_is_lost_in_parsing() {
        let text = "-O3 -g -flto -fsanitize=address a.c -x c b -Wl,-z,defs -Xlinker -O1 -l m -MF d -o";
        assert_eq!(line(text).into_arguments(), text.split_whitespace().collect::<Vec<_>>());
    }
}
