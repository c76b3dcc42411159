/* Branches, a switch, a table, a loop, wide arithmetic: one byte decides all of it. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static const unsigned char table[16] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3};
volatile int sink;

static __attribute__((noinline)) int classify(uint8_t c) {
    switch (c & 31) {
    case 1: return 10;
    case 2: return 20;
    case 9: return 90;
    case 30: return 300;
    default: return c > 128 ? 1 : 2;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 1) return 0;
    uint8_t c = data[0];
    int total = classify(c);
    if (c >= '0' && c <= '9') total += c - '0';
    if (table[c >> 4] == 5) total *= 3;
    uint64_t wide = (uint64_t)c * 0x9e3779b97f4a7c15u;
    if ((wide >> 60) == 7) total -= 1;
    int8_t s = (int8_t)c;
    if (s % 7 == -3) total ^= 0x55;
    for (int i = 0; i < (c & 7); i++) total += i;
    if (size > 1 && data[1] == 'x') total = -total;
    sink = total;
    return 0;
}
