//@ about: masks, exclusive or and a hash step that has to be inverted
//@ input: stdin =4
//@ args: --strategy dfs
//@ end: exhausted
#include <stdint.h>
#include <unistd.h>

int main(void) {
    uint32_t x;
    if (read(0, &x, 4) != 4) return 9;
    uint32_t h = x;
    h ^= h >> 16;
    h *= 0x85ebca6b;
    h ^= h >> 13;
    if (h == 0x12345678) return 1;                              //~ side: both
    if ((x & 0x0f0f0f0f) == 0x01020304 && (x | 0xf0f0f0f0) == 0xf1f2f3f4) return 2; //~ side: both true
    if ((x & (x - 1)) == 0 && x > 0x100000) return 3;           //~ side: both
    return 0;
}
