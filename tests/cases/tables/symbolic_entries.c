//@ about: input read at a place that input says, part of it constant
//@ input: stdin =4
//@ args: --strategy dfs
//@ iterations: <= 12
//@ end: exhausted
#include <unistd.h>

int main(void) {
    unsigned char b[4], a[8] = "constant";
    if (read(0, b, 4) != 4) return 9;
    a[2] = b[0];
    a[5] = b[1] + 1;
    unsigned char c = a[b[2] & 7];
    if (c == 'Z') return 1;                              //~ side: both
    if (c == 's' && (b[2] & 7) != 3) return 2;           //~ side: both
    if (a[b[3] & 7] == c && (b[2] & 7) > (b[3] & 7) && c == 'n') return 3; //~ side: both
    return 0;
}
