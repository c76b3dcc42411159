//@ about: floating point: what no number fulfils, what only some do
//@ input: function floats
//@ cflags: -lm
#include <math.h>
#include <symcrete.h>

void floats(double x, float f) {
    if (x > 1.0 && x < 1.0)
        symcrete_target(1); //~ unreachable
    if (x * 2.0 == 3.0)
        symcrete_target(2); //~ reach
    if (x != x)
        symcrete_target(3); //~ reach (not a number)
    if (x == x && x - x != 0.0)
        symcrete_target(4); //~ reach (infinite)
    if (f + 1.0f == f && f > 0.0f && f < 1.0e30f)
        symcrete_target(5); //~ reach
    if (fabs(x) < 0.0)
        symcrete_target(6); //~ unreachable
    if (sin(x) > 0.99 && x > 10.0)
        symcrete_target(7); //~ reach
    if (sqrt(x) < 0.0)
        symcrete_target(8); //~ unreachable
}
