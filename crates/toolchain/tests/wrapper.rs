//! The wrapper against the real clang: what it hands over, and that a build does not notice.

#[allow(dead_code)]
mod stage;

use expect_test::expect;
use stage::{Stage, silent};
use symcrete_toolchain::layout::Language;

const HELLO: &str = "#include <stdio.h>\nint main(void) { puts(\"hello\"); return 7; }\n";

#[test]
fn a_compilation_gets_the_plugin_and_no_runtime() {
    let stage = Stage::new();
    expect![[r#"
        --start-no-unused-arguments
        -fpass-plugin=ROOT/lib/symcrete/libsymcrete_plugin-22.so
        -fwrapv
        -fno-delete-null-pointer-checks
        -D__NO_CTYPE
        -gline-tables-only
        -idirafter
        ROOT/include/symcrete
        --end-no-unused-arguments
        -Wall
        -c
        a.c
        -o
        a.o
        --start-no-unused-arguments
        -O2
        -U_FORTIFY_SOURCE
        -fno-crash-diagnostics
        --end-no-unused-arguments
    "#]]
    .assert_eq(&stage.show(&stage.rewrite("-O0 -g0 -Wall -c a.c -o a.o")));
}

#[test]
fn a_link_gets_the_runtime_between_its_two_ends() {
    let stage = Stage::new();
    expect![[r#"
        --start-no-unused-arguments
        ROOT/lib/symcrete/begin.o
        --end-no-unused-arguments
        a.o
        -o
        prog
        -lm
        --start-no-unused-arguments
        -fuse-ld=lld
        -fno-sanitize-link-runtime
        -Wl,-z,nostart-stop-gc
        -Wl,--export-dynamic-symbol=__symcrete_*
        -Wl,-u,__symcrete_start
        -x
        none
        ROOT/lib/symcrete/libsymcrete_main.a
        ROOT/lib/symcrete/libsymcrete_runtime.a
        ROOT/lib/symcrete/end.o
        --end-no-unused-arguments
    "#]]
    .assert_eq(&stage.show(&stage.rewrite("a.o -o prog -lm")));
}

#[test]
fn a_shared_object_finds_the_runtime_in_its_executable() {
    let stage = Stage::new();
    expect![[r#"
        --start-no-unused-arguments
        ROOT/lib/symcrete/begin.o
        --end-no-unused-arguments
        -shared
        a.o
        -Wl,-soname,liba.so
        -o
        liba.so
        --start-no-unused-arguments
        -fuse-ld=lld
        -fno-sanitize-link-runtime
        -Wl,-z,nostart-stop-gc
        -x
        none
        ROOT/lib/symcrete/end.o
        --end-no-unused-arguments
    "#]]
    .assert_eq(
        &stage.show(&stage.rewrite("-shared a.o -Wl,--no-undefined -Wl,-soname,liba.so,-z,defs -z defs -o liba.so")),
    );
}

#[test]
fn sanitizers_that_keep_a_shadow_wait_for_the_replay_build() {
    let stage = Stage::new();
    let text = stage.show(&stage.rewrite(
        "-fsanitize=address,undefined -fsanitize=fuzzer -fsanitize-address-use-after-scope -fsanitize=null -c a.c",
    ));
    assert!(text.contains("-fsanitize=undefined\n-fsanitize=null\n"), "{text}");
    assert!(!text.contains("address") && !text.contains("fuzzer") && !text.contains("-fwrapv"), "{text}");
}

#[test]
fn lto_is_left_out_with_one_note() {
    let stage = Stage::new();
    let invocation = stage.rewrite("-flto=thin -flto -fwhole-program-vtables -c a.c");
    assert_eq!(invocation.notes.len(), 1);
    assert!(!stage.show(&invocation).contains("\n-flto"));
}

#[test]
fn questions_and_other_machines_go_through_unchanged() {
    let stage = Stage::new();
    for text in ["--version", "-v", "-print-prog-name=ld", "-dumpmachine", "-print-search-dirs", ""] {
        let invocation = stage.rewrite(text);
        assert_eq!(invocation.arguments, text.split_whitespace().collect::<Vec<_>>());
        assert!(invocation.environment.is_empty());
    }
    let invocation = stage.rewrite("-m32 -O1 -c a.c");
    assert_eq!(invocation.arguments, ["-m32", "-O1", "-c", "a.c"]);
    assert_eq!(invocation.notes.len(), 1);
    assert!(stage.cc("--version").status.success());
}

#[test]
fn every_way_of_building_is_silent_under_werror() {
    let stage = Stage::new();
    stage.file("a.c", "int twice(int x) { return 2 * x; }\n");
    stage.file("b.c", "int twice(int);\nint main(void) { return twice(21); }\n");
    stage.file("s.s", ".globl seven\nseven: movl $7, %eax\nret\n.section .note.GNU-stack,\"\",@progbits\n");
    stage.file(
        "up.S",
        "#define NAME eight\n.globl NAME\nNAME: movl $8, %eax\nret\n.section .note.GNU-stack,\"\",@progbits\n",
    );
    stage.file("h.h", "int twice(int);\n");
    stage.file("words", "-c \"a.c\" -o rsp.o");
    let strict = "-Werror -Wall -Wextra";
    for arguments in [
        "a.c b.c -o both",
        "-c a.c",
        "-c b.c",
        "a.o b.o -o linked",
        "-S a.c -o a.s",
        "-E a.c -o a.i",
        "-c a.i -o ai.o",
        "-M a.c",
        "-MM a.c",
        "-MD -MF a.d -MT x -c a.c",
        "-x c -c a.c -o x.o",
        "-c s.s -o s.o",
        "-c up.S -o up.o",
        "-g -c s.s -o s.o",
        "-fsyntax-only a.c",
        "-x c-header h.h -o h.h.gch",
        "@words",
        "-shared -fPIC a.c -o liba.so -Wl,-z,defs",
        "b.c -L. -la -Wl,-rpath,. -o dynamic",
        "-static a.c b.c -o static",
        "-static-pie -fPIE a.c b.c -o staticpie",
        "-no-pie a.c b.c -o nopie",
        "-r a.o b.o -o partial.o",
        "partial.o -o frompartial",
        "-O3 -flto -c a.c -o lto.o",
        "-D_FORTIFY_SOURCE=2 -O1 -c a.c -o f.o",
        "-ffunction-sections a.c b.c -Wl,--gc-sections -o gc",
        "-emit-llvm -S a.c -o a.ll",
        "-c a.ll -o fromll.o",
        "-fsanitize=undefined -c a.c -o ub.o",
        "-std=c11 -Os -g3 -c a.c -o g3.o",
        "-coverage -c a.c -o cov.o",
    ] {
        let output = stage.cc(&format!("{strict} {arguments}"));
        assert!(output.status.success(), "{arguments}: {}", String::from_utf8_lossy(&output.stderr));
        assert!(output.stderr.is_empty(), "{arguments}: {}", String::from_utf8_lossy(&output.stderr));
    }
    for program in ["both", "linked", "dynamic", "static", "staticpie", "nopie", "frompartial", "gc"] {
        assert_eq!(stage.run(program).status.code(), Some(42), "{program}");
    }
}

#[test]
fn input_from_standard_input_and_a_language_left_switched_on() {
    let stage = Stage::new();
    stage.file("hello.c", HELLO);
    silent(&stage.cc("-x c hello.c -o hello"));
    let output = stage.run("hello");
    assert_eq!((output.status.code(), output.stdout.as_slice()), (Some(7), &b"hello\n"[..]));
}

#[test]
fn the_plugin_learns_the_command_and_the_folder() {
    let stage = Stage::new();
    stage.file("a.c", "int f(void) { return 1; }\n");
    stage.file("words", "-DX='a b' -c a.c");
    silent(&stage.cc("-O3 @words -fsanitize=address"));
    let log = stage.log();
    assert_eq!(log, format!("{} {}\n", stage.work().display(), r#"["-O3","-DX=a b","-c","a.c","-fsanitize=address"]"#));
    silent(&stage.cc("-c a.o -o b.o -Wno-unused-command-line-argument"));
    assert_eq!(stage.log(), "", "nothing is compiled, nothing is loaded");
}

#[test]
fn static_libraries_and_harnesses_without_main() {
    let stage = Stage::new();
    stage.file("lib.c", "int check(const unsigned char *p) { return p[0] == 'h' ? 5 : 6; }\n");
    stage.file(
        "fuzz.c",
        "int check(const unsigned char *);\nint LLVMFuzzerTestOneInput(const unsigned char *p, unsigned long n) { return n ? check(p) : 0; }\n",
    );
    silent(&stage.cc("-c lib.c -o lib.o"));
    assert!(
        std::process::Command::new("ar")
            .args(["rcs", "libx.a", "lib.o"])
            .current_dir(stage.work())
            .status()
            .unwrap()
            .success()
    );
    silent(&stage.cc("-fsanitize=fuzzer,address fuzz.c -L. -lx -o fuzz"));
    assert_eq!(stage.run("fuzz").status.code(), Some(5));
}

#[test]
fn pieces_that_libtool_copies_back_are_not_linked_twice() {
    let stage = Stage::new();
    stage.file("hello.c", HELLO);
    let library = stage.layout.library.display().to_string();
    silent(&stage.cc(&format!("{library}/begin.o hello.c {library}/end.o -o hello")));
    assert_eq!(stage.run("hello").status.code(), Some(7));
}

#[test]
fn cxx_with_exceptions() {
    let stage = Stage::new();
    stage.file("e.cc", "#include <string>\nint main() { try { throw std::string(\"x\"); } catch (std::string &s) { return s[0] == 'x' ? 3 : 4; } }\n");
    silent(&stage.start(&stage.rewrite_in(Language::Cxx, "-Werror e.cc -o e")));
    assert_eq!(stage.run("e").status.code(), Some(3));
}

#[test]
fn a_wrong_program_gets_clangs_own_words() {
    let stage = Stage::new();
    stage.file("bad.c", "int main(void) { return x; }\n");
    let output = stage.cc("-c bad.c");
    assert_eq!(output.status.code(), Some(1));
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(text.contains("bad.c:1:25") && text.contains("undeclared identifier 'x'"), "{text}");
}

#[test]
fn the_header_is_found() {
    let stage = Stage::new();
    stage.file("s.c", "#include <symcrete.h>\nint f(void) { return symcrete_int(\"x\"); }\n");
    silent(&stage.cc("-Wall -Werror -c s.c"));
}
