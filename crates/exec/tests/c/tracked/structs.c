/* Values through memory, structures, pointers and calls. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct record { uint16_t length; uint8_t kind : 3, flag : 5; int32_t value; };
struct pair { int a, b; };
volatile int sink;

static __attribute__((noinline)) struct pair split(int x) { return (struct pair){x / 10, x % 10}; }
static __attribute__((noinline)) int twice(int x) { return 2 * x; }
static __attribute__((noinline)) int minus(int x) { return -x; }
int (*table[2])(int) = {twice, minus};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size != 1) return 0;
    uint8_t bytes[8] = {0};
    struct record r;
    memcpy(bytes + 2, data, 1);
    bytes[3] = (uint8_t)(data[0] ^ 0x5a);
    memcpy(&r, bytes, sizeof r);
    r.kind = data[0] & 7;
    r.flag = data[0] >> 3;
    if (r.kind == 5) sink = 1;
    if (r.flag == 17) sink = 2;
    r.value = (int32_t)data[0] * 3 - 300;
    if (r.value > 100) sink = 3;
    struct pair p = split(r.value);
    if (p.b == 7) sink = 4;
    if (p.a == -20) sink = 5;
    int (*f)(int) = table[data[0] == 66];
    if (f(p.a) > 12) sink = 6;
    if (__builtin_popcount(data[0]) == 4) sink = 7;
    if (__builtin_add_overflow(r.value, 0x7ffffff0, &sink)) sink = 8;
    return 0;
}
