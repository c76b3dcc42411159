//@ about: a constant table read at an input-dependent index
//@ input: stdin =1
//@ args: --strategy dfs
//@ iterations: <= 8
//@ end: exhausted
#include <unistd.h>

static const unsigned char class[16] = {0, 1, 1, 2, 0, 3, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0};

int main(void) {
    unsigned char c = 0;
    if (read(0, &c, 1) != 1) return 9;
    if (c >= 16) return 8;     //~ side: both
    switch (class[c]) {
    case 1: return 1; //~ case: 1
    case 2: return 2; //~ case: 1
    case 3: return 3; //~ case: 1
    case 4: return 4; //~ case: 1
    case 5: return 5; //~ case: 0
    }
    return 0; //~ reach
}
