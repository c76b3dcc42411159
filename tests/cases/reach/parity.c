//@ about: a loop whose values share a property that no number of turns shows by itself; one that none of ours shows
//@ input: function parity
//@ args: --unroll 3 --timeout 20ms --loop-methods off
//@ iterations: <= 10
#include <symcrete.h>

void parity(unsigned x) {
    int odd = 1;
    for (unsigned j = 0; j < x; j++)
        odd += 2;
    if (odd == 4)
        symcrete_target(1); //~ unreachable
    unsigned grows = 0;
    for (unsigned j = 0; j < (x & 15); j++)
        grows = 3 * grows + 1;
    if (grows == 5)
        symcrete_target(2); //~ unknown: loop
}
