//@ about: KLEE's functions
//@ input: calls
//@ args: --strategy dfs
//@ iterations: <= 100
#include <stddef.h>
#include <stdint.h>
void klee_make_symbolic(void *p, size_t n, const char *name);
void klee_assume(uintptr_t condition);

int main(void) {
    struct { int a; short b; } s;
    klee_make_symbolic(&s, sizeof s, "s");
    klee_assume(s.a >= 0);
    if (s.a < 0) return 1;                      //~ side: false
    if (s.a == 99 && s.b == -99) return 2;      //~ side: both
    return 0;
}
