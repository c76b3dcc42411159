//@ about: shifts by input-dependent amounts, logical and arithmetic
//@ input: stdin =5
//@ args: --strategy dfs
//@ end: exhausted
#include <stdint.h>
#include <unistd.h>

int main(void) {
    unsigned char n;
    int32_t x;
    if (read(0, &n, 1) != 1 || read(0, &x, 4) != 4) return 9;
    n &= 31;
    if ((uint32_t)x << n == 0xff000000u) return 1;          //~ side: both
    if ((uint32_t)x >> n == 0x1ff) return 2;                //~ side: both
    if (x >> n == -2 && n > 5) return 3;                    //~ side: both
    if ((uint32_t)x >> n > (uint32_t)x) return 4;           //~ side: false
    return 0;
}
