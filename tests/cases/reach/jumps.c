//@ about: setjmp and longjmp: what was done before a jump back stays done, and what cannot be stays impossible
//@ input: function jumps
#include <setjmp.h>
#include <stdlib.h>
#include <symcrete.h>

static jmp_buf env;
static int depth, done, mode = 1;

static void refuse(int why) {
    done = why; //~ reach
    longjmp(env, why & 1 ? 1 : 2);
}

static void work(int a) {
    depth++;
    if (a > 100)
        refuse(a);
    depth--;
    if (a == 7)
        symcrete_target(1); //~ reach
}

void jumps(int a, unsigned char b) {
    int kept = b & 15;
    volatile int moved = 0;
    if (b == 200 && kept == 9)
        symcrete_target(2); //~ unreachable
    switch (setjmp(env)) {
    case 0:
        moved = 5;
        work(a);
        if (depth != 0)
            symcrete_target(3); //~ unknown: external:_setjmp (nothing is known of memory behind setjmp)
        break;
    case 1:
        if (kept > 15)
            symcrete_target(4); //~ unreachable (not changed behind setjmp)
        if (done == 101 && kept == 3)
            symcrete_target(5); //~ reach
        if (mode == 2)
            symcrete_target(6); //~ unreachable (nobody sets it)
        if (moved == 5 && b == 17)
            symcrete_target(7); //~ reach
        break;
    default:
        if (a == 300)
            symcrete_target(8); //~ reach
        if (a == 4)
            symcrete_target(9); //~ unknown: external:_setjmp (it would have to know who jumps)
    }
}
