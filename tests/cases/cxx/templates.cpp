//@ about: one template at three types; a side is taken when some instance takes it
//@ input: stdin =8
//@ args: --strategy dfs
//@ iterations: <= 100
#include <cstdint>
#include <unistd.h>

template <typename T> static int classify(T value, T limit) {
    if (value > limit) return 1; //~ side: both
    if (value == limit) return 2; //~ side: both
    return 3;
}

int main() {
    int64_t v;
    if (read(0, &v, 8) != 8) return 9;
    int r = classify<int8_t>((int8_t)v, 100) + 4 * classify<uint16_t>((uint16_t)v, 60000) + 16 * classify<int64_t>(v, -5);
    return r == 1 + 4 + 32; // impossible: -5 is 0xfb as a byte
}
