//@ about: how often something happened is compared: no condition over input says it, nearness does
//@ input: buffer =48
//@ args: --strategy random --seed 3
//@ iterations: <= 100000
#include <stddef.h>
#include <stdint.h>

struct Tally {
    int falls, pairs;
};

static void compare(struct Tally *tally, uint8_t a, uint8_t b) {
    if (a > b) tally->falls++; //~ side: both
    if ((a ^ b) == 3) tally->pairs += 2; //~ side: both
}

static int nested(const uint8_t *data, size_t size, int level) {
    if (level == 9) return 1; //~ side: both
    if (size == 0 || data[0] % 7 != 5) return 0; //~ side: false both
    return nested(data + 1, size - 1, level + 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct Tally tally = {0, 0};
    for (size_t i = 1; i < size; i++)
        compare(&tally, data[i - 1], data[i]);
    if (tally.falls == 32) return 1; //~ side: both
    if (tally.pairs == 24) return 2; //~ side: both
    return nested(data, size, 0);
}
