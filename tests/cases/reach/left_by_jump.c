//@ about: what stands behind a call that is left by a jump was not run
//@ input: calls
#include <setjmp.h>
#include <symcrete.h>

static jmp_buf back;
static int depth;

__attribute__((noinline)) static void leave(int n) {
    depth++;
    if (n > 0) {
        leave(n - 1);
        depth = 77; //~ unreachable
    }
    longjmp(back, 1); //~ reach
}

int main(void) {
    volatile int seen = 0;
    int n = symcrete_int("n");
    if (n > 3)
        return 1; //~ reach
    switch (setjmp(back)) {
    case 0:
        leave(n);
        seen = 1; //~ unreachable
        break;
    default:
        seen = 2; //~ reach
    }
    if (n == 2)
        seen = 3; //~ reach
    return 0;
}
