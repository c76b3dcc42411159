//@ about: a store at an input-dependent address, read back at a fixed one
//@ input: stdin =2
//@ args: --strategy dfs
//@ iterations: <= 8
//@ end: exhausted
#include <unistd.h>

int main(void) {
    unsigned char b[2], a[8] = {0};
    if (read(0, b, 2) != 2) return 9;
    a[b[0] & 7] = b[1];
    if (a[3] == 'x') return 1; //~ side: both
    if (a[3] && b[0] == 4) return 2; //~ side: both false
    return 0;
}
