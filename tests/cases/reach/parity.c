//@ about: a loop whose values share a property that no number of turns shows by itself
//@ input: function parity
//@ args: --unroll 3 --timeout 20ms --loop-methods off
//@ iterations: <= 10
#include <symcrete.h>

void parity(unsigned x) {
    int odd = 1;
    for (unsigned j = 0; j < x; j++)
        odd += 2;
    if (odd == 4)
        symcrete_target(1); //~ unknown: loop
}
