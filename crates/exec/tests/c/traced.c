/* Instrumented by hand: does what a tracking body does, through the runtime's own entry points. */
#include <stdint.h>
#include <stdlib.h>
#include <symcrete.h>
#include <unistd.h>

struct block {
    uint64_t stamp;
    uint32_t count, reserved, arguments[64];
    uint64_t values[64], result_stamp;
    uint32_t results[16];
};
extern struct block __symcrete_block;
extern uint8_t __symcrete_mode;
#define SLOW __attribute__((preserve_most))
SLOW uint32_t __symcrete_binary(uint32_t, uint32_t, uint32_t, uint64_t, uint64_t, uint64_t);
SLOW void __symcrete_branch(uint32_t, uint32_t, uint32_t);
SLOW void __symcrete_switch(uint32_t, uint32_t);
SLOW void __symcrete_concretise(uint32_t, uint32_t, uint32_t);

struct unit {
    uint32_t version, sites, marks_count, sides_count;
    uint64_t hash;
    uint32_t *site_base;
    uint8_t *marks, *sides;
};
#define KEEP(name) __attribute__((section(name), used, retain))
static KEEP("symcrete_marks") uint8_t marks[2];
static KEEP("symcrete_sides") uint8_t sides[4];
static uint32_t base;
static KEEP("symcrete_units") const struct unit unit = {1, 3, 2, 4, 0xfeed, &base, marks, sides};

enum { ADD = 8, ULT = 26 };

int main(void) {
    marks[0] = 1;
    unsigned x = symcrete_uint("x");
    uint32_t lx = __symcrete_mode ? __symcrete_block.results[0] : 0;
    unsigned y = x + 5;
    uint32_t ly = lx ? __symcrete_binary(ADD | 32 << 8, lx, 0, x, 5, y) : 0;
    int less = y < 100;
    uint32_t lless = ly ? __symcrete_binary(ULT | 32 << 8, ly, 0, y, 100, less) : 0;
    if (lless) __symcrete_branch(lless, base + 0, less);
    sides[less] = 1;
    if (!less) return 1;
    marks[1] = 1;
    if (lx) __symcrete_switch(lx, base + 1);
    switch (x) {
    case 7: sides[2] = 1; abort();
    case 8: for (;;) pause();
    case 9: sides[3] = 1; return symcrete_uint("again") == 12 ? 9 : 10;
    }
    if (lx) __symcrete_concretise(lx, base + 2, 3);
    return 3;
}
