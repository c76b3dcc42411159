//@ about: which NaN an operation gives is the machine's choice: such bits are never solved for, and never proved away
//@ input: stdin =4
//@ args: --strategy dfs
//@ cflags: -lm
//@ iterations: <= 10
//@ allow: unknown
//@ lost: solver:the bits of a NaN
#include <math.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

int main(void) {
    float x;
    uint32_t bits;
    if (read(0, &x, 4) != 4) return 9;
    float root = __builtin_sqrtf(x);
    if (!(x < -1)) return 0;          //~ side: both
    memcpy(&bits, &root, 4);
    if (bits == 0x7fc01234) return 1; //~ side: false
    return 2;
}
