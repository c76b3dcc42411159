//@ about: loops of any number of turns: what stays true in each of them is a proof
//@ input: function turns
#include <symcrete.h>

extern volatile int outside;
volatile int outside;

void turns(unsigned n, int m, unsigned char c) {
    unsigned even = 0;
    while (even < 0x0ffff)
        even += 2;
    if (even & 1)
        symcrete_target(1); //~ unreachable (it moves by two)

    unsigned same = 0;
    while (outside) {
        if (same != 0)
            same += 2;
    }
    if (same)
        symcrete_target(2); //~ unreachable (it never begins to move)

    if (m >= 0 && m < 1000000) {
        int up = 0, sum = 0;
        for (int i = 0; i < m; i++) {
            up++;
            sum += 3;
        }
        if (up != m)
            symcrete_target(3); //~ unreachable
        if (sum != 3 * m)
            symcrete_target(4); //~ unreachable
        if (sum == 3 * 40)
            symcrete_target(5); //~ reach
        for (int j = m; j > 0; j--) {
            if (up <= 0)
                symcrete_target(6); //~ unreachable (both go down together)
            up--;
        }
    }

    unsigned both = 0, other = 7, end = n % 5000;
    for (unsigned i = 0; i != end; i++) {
        if (i & 1)
            both++;
        else
            other--;
    }
    if (both == 3 && other == 4)
        symcrete_target(8); //~ reach

    unsigned char small = c;
    do {
        small += 4;
    } while (small < 200);
    if ((small & 3) != (c & 3))
        symcrete_target(9); //~ unreachable
    if (small == 203)
        symcrete_target(10); //~ reach
}
