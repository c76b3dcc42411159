//@ about: what functions of the mathematical library cannot give, and equations of floats with one solution
//@ input: function library_bounds
//@ cflags: -lm
#include <math.h>
#include <symcrete.h>

void library_bounds(double x, double y) {
    if (atan2(y, x) > 3 && y < 0)
        symcrete_target(1); //~ unreachable
    if (atan2(y, x) > 3 && y > 0)
        symcrete_target(2); //~ reach
    if (sin(x) * sin(x) + cos(x) * cos(x) > 1.0000001)
        symcrete_target(3); //~ unreachable
    if (log(x) > 2 && x < 7)
        symcrete_target(4); //~ unreachable
    if (log(x) > 2 && x < 7.5)
        symcrete_target(5); //~ reach
    if (x > 10 && x < 20 && sqrt(x) == y && x + y == 15.75) {
        if (sin(x) < 0)
            symcrete_target(6); //~ reach
        else
            symcrete_target(7); //~ unreachable
    }
    if (fabs(x) <= 1 && exp(x) > 2.8)
        symcrete_target(8); //~ unreachable
}
