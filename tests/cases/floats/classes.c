//@ about: infinities, NaNs, signs of zero, denormals and the bits behind them
//@ input: stdin =4
//@ args: --strategy dfs
//@ end: exhausted
#include <stdint.h>
#include <string.h>
#include <unistd.h>

int main(void) {
    float x;
    uint32_t bits;
    if (read(0, &x, 4) != 4) return 9;          //~ side: false
    memcpy(&bits, &x, 4);
    if (__builtin_isnan(x)) return bits == 0x7fc0beef;    //~ side: both
    if (__builtin_isinf(x)) return __builtin_signbit(x) ? 1 : 2;    //~ side: both
    if (x == 0) return __builtin_signbit(x) ? 3 : 4;      //~ side: both
    if (!__builtin_isnormal(x)) return x > 0 ? 5 : 6;     //~ side: both
    float twice = x + x;
    memcpy(&bits, &twice, 4);
    if (bits == 0x7f800000) return 7;           //~ side: both
    return 0;
}
