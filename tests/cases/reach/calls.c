//@ about: calls: callers that decide, callees that compute, functions that nobody calls
//@ input: function calls
#include <symcrete.h>

static int twice(int x) { return 2 * x; }
static int sign(int x) { return x < 0 ? -1 : x > 0; }
static void inner(int x, int mode) {
    if (mode == 1 && x == 77)
        symcrete_target(1); //~ reach
    if (mode == 3)
        symcrete_target(2); //~ unreachable (every caller says 1 or 2)
    if (mode == 2 && x > 0)
        symcrete_target(3); //~ unreachable (this caller checks first)
}
static int never(int x) {
    if (x == 5)
        symcrete_target(4); //~ unreachable (nobody calls it)
    return x;
}
static int depth(int n) { return n <= 0 ? 0 : 1 + depth(n - 1); }

int unused(int x) { return never(x); }

void calls(int a, int b) {
    inner(a, 1);
    if (a < 0)
        inner(a, 2);
    if ((twice(b) & 1) == 1)
        symcrete_target(5); //~ unreachable
    if (twice(b) == 84)
        symcrete_target(6); //~ reach
    if (sign(a) == 2)
        symcrete_target(7); //~ unreachable
    if (sign(a) == -1 && sign(b) == 1)
        symcrete_target(8); //~ reach
    if (depth(b & 3) == 3)
        symcrete_target(9); //~ reach
}
