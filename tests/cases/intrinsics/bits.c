//@ about: byte swap, bit reversal, population count, leading and trailing zeros, rotation
//@ input: stdin =4
//@ args: --strategy dfs
#include <stdint.h>
#include <unistd.h>

int main(void) {
    uint32_t x;
    if (read(0, &x, 4) != 4) return 9;
    if (__builtin_bswap32(x) == 0x01020304) return 1;                    //~ side: both
    if (__builtin_bitreverse32(x) == 0x80000001u + 2) return 2;          //~ side: both
    if (__builtin_popcount(x) == 30 && (x & 0xff) == 0x7f) return 3;     //~ side: both
    if (x && __builtin_clz(x) == 20 && __builtin_ctz(x) == 9) return 4;  //~ side: both
    if (__builtin_rotateleft32(x, 13) == 0xabcdef01) return 5;           //~ side: both
    if (__builtin_popcount(x) > 32) return 6;                            //~ side: false
    return 0;
}
