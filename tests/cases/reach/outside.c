//@ about: a function that is not part of the program: its results are unknown, and so is what it may have written
//@ input: function outside
//@ iterations: <= 4
#include <stdlib.h>
#include <symcrete.h>

static int kept = 1;
int shared = 1;

void outside(int a) {
    char *home = getenv("SYMCRETE_NO_SUCH_VARIABLE");
    if (a == 4 && kept != 1)
        symcrete_target(1); //~ unreachable (no function outside writes it)
    if (home && a == 3)
        symcrete_target(2); //~ unknown: external:getenv
    if (labs(a) == 12)
        symcrete_target(3); //~ reach
}
