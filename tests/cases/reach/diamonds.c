//@ about: values that depend on the way taken, followed through joins
//@ input: function diamonds
#include <symcrete.h>

void diamonds(int a, int b, int c) {
    int y = 0;
    if (a > 0)
        y += 1;
    else
        y += 2;
    if (b > 0)
        y += 1;
    else
        y += 2;
    if (y == 3)
        symcrete_target(1); //~ reach
    if (y == 5)
        symcrete_target(2); //~ unreachable
    if (y == 2 && a < 0)
        symcrete_target(3); //~ unreachable
    if (y == 4 && b == -7)
        symcrete_target(4); //~ reach
    int z = c > 10 ? c - 10 : 10 - c;
    if (z < 0 && c != -2147483647 - 1) {
        if (c > -2147483637)
            symcrete_target(5); //~ unreachable
        else
            symcrete_target(6); //~ reach (10 - c wraps)
    }
}
