//@ about: float and double operations are followed into the trace; what their solver cannot do yet is counted
//@ input: stdin =8
//@ args: --strategy dfs
//@ iterations: <= 60
//@ allow: unknown
//@ lost: solver:float
#include <unistd.h>

int main(void) {
    double d;
    if (read(0, &d, 8) != 8) return 9;
    float f = (float)d * 0.5f;
    if (d > 1.0 && d < 2.0) return 1;
    if (f == 21.0f) return 2;
    if (d != d) return 3;
    return 0; //~ reach
}
