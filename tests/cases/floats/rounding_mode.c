//@ about: arithmetic in another rounding mode is not followed, and counted
//@ input: stdin =8
//@ args: --strategy dfs
//@ cflags: -lm
//@ lost: rounding
//@ end: nothing-left
#include <fenv.h>
#include <unistd.h>

int main(void) {
    double x;
    if (read(0, &x, 8) != 8) return 9;
    if (x > 1) { //~ side: both
        fesetround(FE_UPWARD);
        return x / 3 > 7;
    }
    return 0;
}
