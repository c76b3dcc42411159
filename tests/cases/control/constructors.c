//@ about: sides that constructors take are taken in every run
//@ input: calls
//@ end: exhausted
#include <stdlib.h>
#include <symcrete.h>

static int level = 1;

static void raise_level(int by) {
    if (by > 1) //~ side: both
        level += by;
}

__attribute__((constructor)) static void early(void) {
    if (level == 1) //~ side: true
        raise_level(atoi("3"));
}

int main(void) {
    int x = symcrete_int("x");
    raise_level(0);
    if (x == level) //~ side: both
        return 1;
    return 0;
}
