//@ about: operands of && and ||, and ?:, each with both sides
//@ input: stdin =2
//@ args: --strategy dfs
//@ end: exhausted
#include <unistd.h>

int main(void) {
    unsigned char b[2];
    if (read(0, b, 2) != 2) return 9;
    int r = 0;
    if (b[0] == 'x' && b[1] == 'y') r = 1; //~ side: both
    if (b[0] < 3 || b[1] > 250) r += 2;    //~ side: both
    r += b[0] == b[1] ? 4 : 8;             //~ side: both
    return r;
}
