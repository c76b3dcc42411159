//@ about: a CRC by table must meet a constant, and be stored behind its message
//@ input: stdin =8
//@ args: --strategy dfs
//@ iterations: <= 8
//@ end: exhausted
#include <stdint.h>
#include <unistd.h>

static uint32_t table[256];

int main(void) {
    uint8_t b[8];
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t c = i;
        for (int bit = 0; bit < 8; bit++) c = c & 1 ? c >> 1 ^ 0xedb88320u : c >> 1;
        table[i] = c;
    }
    if (read(0, b, 8) != 8) return 9;
    uint32_t crc = ~0u;
    for (int i = 0; i < 4; i++) crc = crc >> 8 ^ table[(crc ^ b[i]) & 0xff];
    uint32_t stored = b[4] | b[5] << 8 | b[6] << 16 | (uint32_t)b[7] << 24;
    if (~crc == 0xcafef00d) return 1;  //~ side: both
    if (~crc == stored) return 2;      //~ side: both
    return 0;
}
