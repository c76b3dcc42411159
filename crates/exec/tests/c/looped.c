/* A harness for the persistent loop, its marks set by hand. */
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

struct unit {
    uint32_t version, sites, marks_count, sides_count;
    uint64_t hash;
    uint32_t *site_base;
    uint8_t *marks, *sides;
};
#define KEEP(name) __attribute__((section(name), used, retain))
static KEEP("symcrete_marks") uint8_t marks[256];
static KEEP("symcrete_sides") uint8_t sides[1];
static uint32_t base;
static KEEP("symcrete_units") const struct unit unit = {1, 0, 256, 1, 0xbeef, &base, marks, sides};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size == 0) return 0;
    marks[data[0]] = 1;
    /* "ABC" with anything in between. */
    size_t found = 0;
    for (size_t i = 0; i < size && found < 3; i++) found += data[i] == 'A' + found;
    if (found == 3) marks[255] = 1;
    if (data[0] == 250) abort();
    if (data[0] == 251) for (;;) pause();
    if (data[0] == 252) exit(5);
    if (data[0] == 248) kill(-1, SIGKILL);
    if (data[0] == 249) { char *leak = malloc(1 << 20); for (int i = 0; i < 1 << 20; i += 4096) leak[i] = 1; }
    if (data[0] == 253) kill(getpid(), SIGKILL);
    return 0;
}
