//@ about: one value written, another read of the same bytes
//@ input: stdin =8
//@ args: --strategy dfs
//@ end: exhausted
#include <stdint.h>
#include <unistd.h>

union view {
    uint64_t whole;
    uint32_t half[2];
    uint8_t byte[8];
};

int main(void) {
    union view v;
    if (read(0, &v.whole, 8) != 8) return 9;
    v.half[0] += 1;
    if (v.byte[3] == 0x40 && v.byte[4] == 0x41) return 1;     //~ side: both
    v.byte[0] = 0xaa;
    if (v.whole == 0x01020304050607aa) return 2;              //~ side: both
    if ((v.half[0] & 0xff) != 0xaa) return 3;                 //~ side: false
    return 0;
}
