//@ about: funnel shifts and rotations by an input-dependent amount
//@ input: stdin =9
//@ args: --strategy dfs
//@ allow: unknown
#include <stdint.h>
#include <unistd.h>

static uint64_t rotate(uint64_t x, unsigned n) { return x << (n & 63) | x >> (-n & 63); }

int main(void) {
    uint64_t x;
    unsigned char n;
    if (read(0, &x, 8) != 8 || read(0, &n, 1) != 1) return 9;
    if (rotate(x, n) == 0x00000000deadbeef && n == 40) return 1; //~ side: both
    if (rotate(rotate(x, n), 64 - (n & 63)) != x) return 2;      //~ side: false
    return 0;
}
