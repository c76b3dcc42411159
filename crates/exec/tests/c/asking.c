/* Asks for two numbers and does what they say. */
#include <symcrete.h>

static __attribute__((noinline)) void inner(int *p) { *p = 1; }
static __attribute__((noinline)) void outer(void) { inner((int *)16); }

int main(void) {
    unsigned a = symcrete_uint("a"), b = symcrete_uint("b");
    if (a == 7) {
        symcrete_target(5);
        outer();
    }
    if (a == 9)
        for (int i = 0; i < 100000; i++) symcrete_target(6);
    return (int)(a + b);
}
