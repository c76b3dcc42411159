//! Generated harnesses, compiled and run: a native stand-in for the requests hands out scripted values.

#[allow(dead_code)]
mod stage;

use expect_test::expect;
use stage::Stage;
use std::path::PathBuf;
use symcrete_toolchain::entry::Entry;
use symcrete_toolchain::harness::{Buffer, Options};
use symcrete_toolchain::target::{self, Request, Target};
use symcrete_toolchain::{BuildError, Variant};

/// Requests take their values from the environment, in order, and say what they were asked for.
const REQUESTS: &str = r#"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <stdint.h>
static long next(const char *name) {
  static char *list; static int started;
  if (!started) { list = getenv("VALUES"); list = strdup(list ? list : ""); started = 1; strtok(list, ""); }
  char *end; long v = strtol(list, &end, 0); list = *end ? end + 1 : end;
  printf("%s=%ld\n", name, v); return v;
}
signed char symcrete_char(const char *n) { return next(n); } unsigned char symcrete_uchar(const char *n) { return next(n); }
short symcrete_short(const char *n) { return next(n); } unsigned short symcrete_ushort(const char *n) { return next(n); }
int symcrete_int(const char *n) { return next(n); } unsigned symcrete_uint(const char *n) { return next(n); }
long symcrete_long(const char *n) { return next(n); } unsigned long symcrete_ulong(const char *n) { return next(n); }
float symcrete_float(const char *n) { return next(n); } double symcrete_double(const char *n) { return next(n); }
int symcrete_bool(const char *n) { return next(n) & 1; }
unsigned symcrete_choice(unsigned k, const char *n) { (void)k; return next(n); }
void symcrete_assume(int c) { if (!c) { puts("assume failed"); exit(0); } }
void symcrete_bytes(void *p, unsigned long n, const char *name) { memset(p, (int)next(name), n); }
void symcrete_harness(void);
int main(void) { symcrete_harness(); fflush(stdout); return 0; }
"#;

fn stage() -> Stage {
    let stage = Stage::new();
    let header = concat!(env!("CARGO_MANIFEST_DIR"), "/../runtime/include/symcrete.h");
    std::fs::copy(header, stage.root.path().join("include/symcrete/symcrete.h")).unwrap();
    let source = stage.root.path().join("requests.c");
    std::fs::write(&source, REQUESTS).unwrap();
    let object = stage.root.path().join("requests.o");
    let built =
        std::process::Command::new("clang-22").args(["-g", "-c"]).arg(&source).arg("-o").arg(&object).status().unwrap();
    assert!(built.success());
    let archive = stage.layout.library.join("libsymcrete_replay.a");
    assert!(std::process::Command::new("ar").arg("rcs").arg(archive).arg(&object).status().unwrap().success());
    stage
}

fn prepare(stage: &Stage, file: &str, function: &str, depth: u32, buffers: Vec<Buffer>) -> Result<Target, BuildError> {
    target::prepare(
        stage.layout.clone(),
        stage.root.path().join("out"),
        &Request {
            files: vec![PathBuf::from(file)],
            folder: stage.work(),
            cflags: vec!["-Wall".into(), "-Werror".into(), "-Wno-unused-function".into()],
            function: Some(function.into()),
            harness: Options { pointer_depth: depth, buffers },
            input_functions: vec![],
            units: Vec::new(),
            undefined: false,
            color: false,
        },
    )
}

#[track_caller]
fn run(stage: &Stage, target: &Target, values: &str) -> String {
    let built = match target.builder.build(Variant::Plain) {
        Ok(built) => built,
        Err(error) => panic!("{error}\n{}", String::from_utf8_lossy(error.diagnostics().unwrap_or_default())),
    };
    let output =
        std::process::Command::new(built.program).env("VALUES", values).current_dir(stage.work()).output().unwrap();
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn text(stage: &Stage, file: &str) -> String {
    std::fs::read_to_string(stage.root.path().join("out").join(file)).unwrap()
}

const LIST: &str = r#"#include <stdio.h>
struct node { int value; struct node *next; };
typedef struct { short x, y; unsigned flags : 3; } point;
static int sum(struct node *list, point p, const double scale[2]) {
    int total = p.x + p.y + (int)p.flags;
    for (int i = 0; list && i < 5; i++, list = list->next) total += list->value;
    if (scale) total += (int)scale[0];
    printf("total %d\n", total);
    return total;
}
int main(void) { return sum(0, (point){0}, 0); }
"#;

#[test]
fn a_readable_harness() {
    let stage = stage();
    stage.file("list.c", LIST);
    let target = prepare(&stage, "list.c", "sum", 1, vec![]).unwrap();
    assert_eq!(target.entry, Entry::Function("sum".into()));
    expect![[r#"
        /* Written by symcrete for `--function sum`: builds its parameters from input and calls it. */
        #include "list.c"
        #include <stdlib.h>
        #include <symcrete.h>
        #pragma clang diagnostic ignored "-Weverything"

        /* Objects made so far, by type: a pointer may also point to an earlier one. */
        static void *made_0[8]; /* struct node */
        static unsigned count_0;
        static void *made_1[8]; /* double */
        static unsigned count_1;

        static void *earlier(void **made, unsigned count, unsigned choice) {
            for (unsigned i = 0; i + 1 < count; i++) {
                unsigned place = i;
                __asm__("" : "+r"(place)); /* not known to equal the choice: the index is no input */
                if (choice == i) return made[place];
            }
            return made[count - 1];
        }

        void symcrete_harness(void);
        void symcrete_harness(void) {
            count_0 = 0;
            count_1 = 0;
            struct node *list_;
            unsigned choice_0 = symcrete_choice(2 + count_0, "list: null, a fresh object, or an earlier one");
            if (choice_0 == 0) {
                list_ = 0;
            } else if (choice_0 == 1 || count_0 == 0) {
                list_ = (__typeof__(list_))calloc(1, sizeof *list_);
                if (count_0 < 8) made_0[count_0++] = (void *)list_;
                struct node *object_1 = (struct node *)list_;
                object_1->value = symcrete_int("list->value");
                unsigned choice_2 = symcrete_choice(1 + count_0, "list->next: null or an earlier object");
                object_1->next = choice_2 == 0 || count_0 == 0 ? 0 : (__typeof__(object_1->next))earlier(made_0, count_0, choice_2 - 1);
            } else {
                list_ = (__typeof__(list_))earlier(made_0, count_0, choice_0 - 2);
            }
            point p_;
            p_.x = symcrete_short("p.x");
            p_.y = symcrete_short("p.y");
            p_.flags = symcrete_uint("p.flags");
            const double *scale_;
            unsigned choice_3 = symcrete_choice(2 + count_1, "scale: null, a fresh object, or an earlier one");
            if (choice_3 == 0) {
                scale_ = 0;
            } else if (choice_3 == 1 || count_1 == 0) {
                scale_ = (__typeof__(scale_))calloc(1, sizeof *scale_);
                if (count_1 < 8) made_1[count_1++] = (void *)scale_;
                double *object_4 = (double *)scale_;
                (*object_4) = symcrete_double("(*scale)");
            } else {
                scale_ = (__typeof__(scale_))earlier(made_1, count_1, choice_3 - 2);
            }
            __auto_type result_ = sum(list_, p_, scale_);
            __asm__ volatile("" : : "r"(&result_) : "memory"); /* what it computed is used */
        }
    "#]]
    .assert_eq(&text(&stage, "symcrete_harness.c"));
}

#[test]
fn lists_are_built_null_fresh_and_cyclic() {
    let stage = stage();
    stage.file("list.c", LIST);
    let target = prepare(&stage, "list.c", "sum", 2, vec![]).unwrap();
    // Null list, point (1, 2, flags 9 cut to 1), no scale.
    assert!(run(&stage, &target, "0,1,2,9,0").ends_with("total 4\n"));
    // A list of one that points to itself: five rounds of 10.
    let cyclic = run(&stage, &target, "1,10,2,0,0,0,0");
    assert!(cyclic.ends_with("total 50\n"), "{cyclic}");
    // Two fresh nodes, the second ends; a fresh scale of 100.
    let two = run(&stage, &target, "1,3,1,4,0,0,0,0,1,100");
    assert!(two.contains("list->next->value=4\n") && two.ends_with("total 107\n"), "{two}");
}

#[test]
fn buffers_and_their_lengths() {
    let stage = stage();
    stage.file(
        "buf.c",
        "#include <stdio.h>\nint f(const unsigned char *data, long size, int *out) { printf(\"%d %ld %d\\n\", data[size - 1], size, out == 0); return 0; }\n",
    );
    let buffer = Buffer { name: "data".into(), bytes: 8 };
    let target = prepare(&stage, "buf.c", "f", 2, vec![buffer]).unwrap();
    assert!(run(&stage, &target, "65,8,0").ends_with("65 8 1\n"));
    assert!(run(&stage, &target, "65,9,0").ends_with("assume failed\n"));
    assert!(run(&stage, &target, "65,-1,0").ends_with("assume failed\n"));
    let error = prepare(&stage, "buf.c", "f", 2, vec![Buffer { name: "dat".into(), bytes: 8 }]).unwrap_err();
    expect!["`--buffer dat:…`: `f` has no pointer parameter `dat`; did you mean `data`?"].assert_eq(&error.to_string());
}

#[test]
fn every_kind_of_parameter_compiles() {
    let stage = stage();
    stage.file(
        "kinds.c",
        r#"#include <stdbool.h>
#include <stdio.h>
enum color { RED, GREEN = 7 };
union u { int i; float f; };
struct inner { char name[4]; int grid[2][3]; };
struct hidden;
struct all {
    const int fixed; struct inner in; union u u; enum color c; bool b; long double ld; __int128 wide;
    struct { int anon_a; }; union { short s; long l; }; struct { int q; } named;
    int (*cb)(int, const char *); void (*quiet)(void); struct hidden *secret; void *any; char **words; int (*row)[3]; signed char sc; volatile int v;
    struct inner *many[2]; unsigned long tail[];
};
int kinds(struct all *a, union u u, enum color c, bool b, int (*cmp)(const void *, const void *), const struct all *const again, int n, ...) {
    printf("%d %d %d %d %d\n", a ? a->in.grid[1][2] : -1, u.i, c, b, cmp ? cmp(0, 0) : -2);
    return a == again && n;
}
"#,
    );
    let target = prepare(&stage, "kinds.c", "kinds", 2, vec![]).unwrap();
    let out = run(&stage, &target, "0,257,7,1,1,0,3,55");
    assert!(out.ends_with("-1 16843009 7 1 55\n"), "{out}");
}

#[test]
fn cxx_references_and_exceptions() {
    let stage = stage();
    stage.file("r.cc", "#include <cstdio>\nstruct pair { int a; bool b; };\nint f(pair &p, const int &x) { std::printf(\"%d %d\\n\", p.a + x, p.b); return 0; }\nint main() { pair p{}; return f(p, 1); }\n");
    let target = prepare(&stage, "r.cc", "f", 2, vec![]).unwrap();
    let out = run(&stage, &target, "1,5,1,1,6");
    assert!(out.ends_with("11 1\n"), "{out}");
}

#[test]
fn what_cannot_be_built_is_said() {
    let stage = stage();
    stage.file("v.cc", "struct base { virtual int f() { return 1; } };\nint g(base *b) { return b->f(); }\nint main() { base b; return g(&b); }\n");
    let error = prepare(&stage, "v.cc", "g", 2, vec![]).unwrap_err();
    expect![[r#"
        cannot build parameter `b` of `g`: struct base has base classes or virtual functions
          write a harness of your own: `int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)`"#]]
    .assert_eq(&error.to_string());
    stage.file("list.c", LIST);
    let error = prepare(&stage, "list.c", "sun", 2, vec![]).unwrap_err();
    expect![[r#"
        no function `sun` in list.c; did you mean `sum`?
          functions that could be the entry (name one with `--function NAME`):
            sum(list, p, scale)
            main()"#]]
    .assert_eq(&error.to_string());
}

#[test]
fn entries_are_found_or_named() {
    let stage = stage();
    let prepare = |file: &str, function: Option<&str>| {
        let request = Request {
            files: vec![PathBuf::from(file)],
            folder: stage.work(),
            cflags: vec![],
            function: function.map(String::from),
            harness: Options { pointer_depth: 2, buffers: vec![] },
            input_functions: vec![],
            units: Vec::new(),
            undefined: false,
            color: false,
        };
        target::prepare(stage.layout.clone(), stage.root.path().join("out"), &request)
    };
    stage.file(
        "none.c",
        "static int unused(char *text, int n) { return text[n]; }\nint twice(int x) { return 2 * x; }\n",
    );
    expect![[r#"
        no `main` and no `LLVMFuzzerTestOneInput` in none.c
          functions that could be the entry (name one with `--function NAME`):
            unused(text, n)
            twice(x)"#]]
    .assert_eq(&prepare("none.c", None).unwrap_err().to_string());
    stage.file(
        "both.c",
        "int LLVMFuzzerTestOneInput(const char *p, long n) { return n ? *p : 0; }\nint main(void) { return 7; }\n",
    );
    expect!["both `main` and `LLVMFuzzerTestOneInput` are defined: choose one with `--function main` or `--function LLVMFuzzerTestOneInput`"]
        .assert_eq(&prepare("both.c", None).unwrap_err().to_string());
    assert_eq!(prepare("both.c", Some("main")).unwrap().entry, Entry::Main);
    let fuzzer = prepare("both.c", Some("LLVMFuzzerTestOneInput")).unwrap();
    assert_eq!(fuzzer.entry, Entry::Fuzzer);
    // The user's main stepped aside for ours.
    let built = fuzzer.builder.build(Variant::Tracked).unwrap();
    let status = std::process::Command::new(built.program).status().unwrap();
    assert_eq!(status.code(), Some(i32::from(b'h')));
}

#[test]
fn what_did_not_change_is_not_built_again() {
    let stage = stage();
    stage.file("inc/h.h", "#define N 3\n");
    stage.file("a.c", "#include \"h.h\"\nint main(void) { return N; }\n");
    let build = || {
        let builder = symcrete_toolchain::Builder::new(
            stage.layout.clone(),
            stage.root.path().join("out"),
            stage.work(),
            &[PathBuf::from("a.c")],
            vec!["-Iinc".into()],
        );
        let built = builder.unwrap().build(Variant::Tracked).unwrap();
        std::process::Command::new(&built.program).status().unwrap().code()
    };
    let object = stage.root.path().join("out/tracked/0000-a.o");
    let time = || std::fs::metadata(&object).unwrap().modified().unwrap();
    assert_eq!(build(), Some(3));
    let first = time();
    assert_eq!(build(), Some(3));
    assert_eq!(time(), first, "used again");
    stage.file("inc/h.h", "#define N 4\n");
    assert_eq!(build(), Some(4), "a header changed");
    assert_ne!(time(), first);
}
