//@ about: conditions that follow from earlier ones, and arithmetic that wraps
//@ input: function checks
#include <stdint.h>
#include <symcrete.h>

void checks(uint32_t a, uint32_t b, uint8_t c) {
    if (a < 100 && b < 100) {
        if (a + b >= 199)
            symcrete_target(1); //~ unreachable
        if (a * b == 9801)
            symcrete_target(2); //~ reach
    }
    if (a + 1 < a)
        symcrete_target(3); //~ reach (it wraps)
    if ((a & 3) + (a & 12) != (a & 15))
        symcrete_target(4); //~ unreachable
    if (c * c == 121)
        symcrete_target(5); //~ reach
    if (c * c == 120)
        symcrete_target(6); //~ unreachable
    if (b != 0 && a / b > a)
        symcrete_target(7); //~ unreachable
    if (b != 0 && a % b == 41 && b < 43)
        symcrete_target(8); //~ reach
    if ((a >> 31) == 1 && (int32_t)a >= 0)
        symcrete_target(9); //~ unreachable
}
