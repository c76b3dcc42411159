#include <symcrete.h>

int other_up(int x) {
    if (x == 1000)
        symcrete_target(5);
    return x + 1;
}

int other_down(int x) { return x - 1; }
