//@ about: what runs before main, and what it leaves behind
//@ input: calls
//@ args: --loop-methods off
//@ iterations: <= 4
#include <symcrete.h>

static int level = 1;

static void raise_level(int by) {
    level += by;
    if (by > 1)
        level += 10; //~ unreachable
}

__attribute__((constructor)) static void early(void) {
    raise_level(1); //~ reach
    if (level == 77)
        level = 0; //~ unknown: start
}

int main(void) {
    int x = symcrete_int("x");
    if (level == 2 && x == 9)
        symcrete_target(1); //~ reach
    if (x * 2 == 7)
        symcrete_target(2); //~ unreachable
    return 0;
}
