//@ about: calls through pointers, to functions of other files too
//@ input: function pointers
//@ sources: pointers_other.c
#include <symcrete.h>

int other_up(int x);
int other_down(int x);
typedef int (*step)(int);

static int twice(int x) {
    if (x == 21)
        symcrete_target(1); //~ reach
    return 2 * x;
}
static int unused(int x) {
    return x + 3; //~ unreachable (nobody takes its address)
}
static step steps[2] = {twice, other_down};

int pointers(int a, int b) {
    step chosen = a > 0 ? other_up : other_down;
    int r = chosen(b);
    if (a == 5 && r == 8)
        symcrete_target(2); //~ reach
    if (a == 5 && r == b - 1)
        symcrete_target(3); //~ unreachable
    r = steps[b & 1](a);
    if ((b & 1) == 0 && r % 2 != 0)
        symcrete_target(4); //~ unreachable
    return r;
}
int keep(int x) { return unused(x); }
