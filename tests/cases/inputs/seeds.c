//@ about: inputs to begin with: their paths are flipped like any other
//@ input: stdin =8
//@ args: --strategy dfs --seeds tests/cases/inputs/corpus
//@ iterations: <= 60
#include <unistd.h>

/* Hard to invert, easy to have. */
static unsigned mix(const unsigned char *b) {
    unsigned h = 2166136261u;
    for (int i = 0; i < 7; i++) h = (h ^ b[i]) * 16777619u, h ^= h >> 15;
    return h;
}

int main(void) {
    unsigned char b[8];
    if (read(0, b, 8) != 8) return 9;
    if (mix(b) == 0x88faad53u) { //~ side: both   (the seed's)
        if (b[7] == '?') return 1; //~ side: both
        return 2;
    }
    return 0;
}
