//@ about: what only constructors do is part of no run, and still done; all runs are no proof against it
//@ input: calls
//@ iterations: <= 4
#include <stdlib.h>
#include <symcrete.h>

static int level = 1;

static void raise_level(int by) {
    if (by > 1)
        level += 10; //~ reach
    level += by; //~ reach
}

__attribute__((constructor)) static void early(void) {
    int by = atoi("3"); //~ reach
    raise_level(by);
    if (by == 4)
        level = 0; //~ unknown: start
}

static void never(void) {
    level = 7; //~ unreachable
}

int main(void) {
    int x = symcrete_int("x");
    raise_level(1);
    if (x == level)
        return 1; //~ reach
    if (x == 9 && x < 7)
        never(); //~ unreachable
    return 0;
}
