//@ about: a signed char as index: from the middle of the table in both directions
//@ input: stdin =1
//@ args: --strategy dfs
//@ iterations: <= 6
//@ end: exhausted
#include <unistd.h>

static int table[256];

int main(void) {
    signed char c;
    for (int i = 0; i < 256; i++) table[i] = (i - 128) * (i - 128);
    const int *middle = table + 128;
    if (read(0, &c, 1) != 1) return 9;
    if (middle[c] == 16384) return 1;          //~ side: both
    if (middle[c] == 100 && c < 0) return 2;   //~ side: both
    return 0;
}
