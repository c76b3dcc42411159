//@ about: tables of one, two, four and eight bytes read at an input byte: one path for each outcome, not for each index
//@ input: stdin =1
//@ args: --strategy dfs
//@ iterations: <= 12
//@ end: exhausted
#include <stdint.h>
#include <unistd.h>

static uint8_t bytes[256];
static int16_t shorts[64];
static uint32_t words[256];
static uint64_t longs[16];

int main(void) {
    unsigned char c;
    for (int i = 0; i < 256; i++) bytes[i] = i * 7;
    for (int i = 0; i < 64; i++) shorts[i] = (i - 20) * 300;
    for (int i = 0; i < 256; i++) words[i] = i * 0x01010101u;
    for (int i = 0; i < 16; i++) longs[i] = (uint64_t)i << 40;
    if (read(0, &c, 1) != 1) return 9;
    if (bytes[c] == 77) return 1;                     //~ side: both
    if (shorts[c & 63] == -6000) return 2;            //~ side: both
    if (words[c] == 0xc8c8c8c8u) return 3;            //~ side: both
    if (longs[c >> 4] > (uint64_t)14 << 40) return 4; //~ side: both
    if (bytes[c] == 77 || words[c] == 3) return 5;    //~ side: false
    return 0;
}
