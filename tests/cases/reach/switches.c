//@ about: switches: cases, the default, falling through
//@ input: function switches
#include <symcrete.h>

void switches(int a) {
    int r;
    switch (a & 7) {
    case 0: r = 10; break;
    case 1: r = 20; //~ reach
    case 2: r = 30; break;
    case 9: r = 40; break; //~ unreachable
    default: r = 50; break; //~ reach
    }
    if (r == 20)
        symcrete_target(1); //~ unreachable
    if (r == 30 && a == 9)
        symcrete_target(2); //~ reach
    switch (a) {
    case 100:
        if (r != 50)
            symcrete_target(3); //~ unreachable (100 & 7 is 4)
        break;
    case 1000:
        symcrete_target(4); //~ reach
    }
}
