//@ about: a state machine in global variables, stepped any number of times: what is never written is never read
//@ input: calls
#include <symcrete.h>

enum { IDLE, OPEN, HALF, SHUT, BROKEN };
int mode = IDLE;
static int before = IDLE;
static int counted, exposed, partly;
static int *behind = &exposed;

static void step(int key) {
    before = mode;
    counted++;
    partly = key == 9 ? 4 : 5;
    if (mode == IDLE && key == 1)
        mode = OPEN;
    else if (mode == OPEN && key == 2)
        mode = key == before ? OPEN : HALF;
    else if (mode == HALF && key == 3)
        mode = SHUT;
    if (mode == BROKEN)
        symcrete_target(1); //~ unreachable (nothing breaks it)
    if (before == BROKEN)
        symcrete_target(2); //~ unreachable (nor was it ever)
    if (mode == SHUT && key == 7)
        symcrete_target(3); //~ reach
    if (counted == 3 && mode == HALF)
        symcrete_target(4); //~ reach (a number of any kind is no state)
    if (partly == 6)
        symcrete_target(5); //~ unreachable
    if (key == 8)
        *behind = 12;
    if (exposed == 12)
        symcrete_target(6); //~ reach (written through a pointer)
}

int main(void) {
    for (;;) {
        int key = symcrete_int("key");
        if (key < 0)
            return 0;
        step(key);
    }
}
