//@ about: values of 8, 16, 32, 64 and 128 bits, each compared at its own width
//@ input: stdin =31
//@ args: --strategy dfs
//@ end: exhausted
#include <stdint.h>
#include <unistd.h>

struct __attribute__((packed)) values {
    uint8_t a;
    uint16_t b;
    uint32_t c;
    uint64_t d;
    unsigned __int128 e;
};

int main(void) {
    struct values v;
    if (read(0, &v, sizeof v) != sizeof v) return 9;
    unsigned __int128 wide = (unsigned __int128)0x0123456789abcdef << 64 | 0xfedcba9876543210;
    int r = 0;
    if (v.a == 0x5a) r |= 1;                     //~ side: both
    if (v.b == 0xbeef) r |= 2;                   //~ side: both
    if (v.c == 0xcafebabe) r |= 4;               //~ side: both
    if (v.d == 0x1122334455667788) r |= 8;       //~ side: both
    if (v.e == wide) r |= 16;                    //~ side: both
    return r;
}
