//@ about: a function called by another type than its own, through a pointer that is known when it is compiled
//@ input: calls
//@ cflags: -std=gnu89 -Wno-deprecated-non-prototype
#include <symcrete.h>

static int seen;

static int old(a, b)
int a, b;
{
    if (a == 3) //~ side: both
        seen = 1; //~ reach
    return a + b;
}

static int more(int a, int b) {
    if (a == 4) //~ side: both
        seen = 2; //~ reach
    return a + b;
}

static void nothing(int a) {
    if (a == 5) //~ side: both
        seen = 3; //~ reach
}

static void each(int (*act)()) { act(symcrete_int("a"), 2); }

int main(void) {
    each(old);
    ((int (*)(int, int, int))more)(symcrete_int("b"), 1, 2);
    ((int (*)(int))nothing)(symcrete_int("c"));
    return 0;
}
