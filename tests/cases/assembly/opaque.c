//@ about: inline assembly is an opaque call: its result is concrete and the loss is counted
//@ input: stdin =4
//@ args: --strategy dfs
//@ lost: assembly:asm
//@ end: nothing-left
#include <unistd.h>

int main(void) {
    unsigned x, y;
    if (read(0, &x, 4) != 4) return 9;
    __asm__("lea 5(%1), %0" : "=r"(y) : "r"((unsigned long)x));
    if (x == 1000) return 1;     //~ side: both
    if (y == 2005) return 2;     //~ side: false   (behind the assembly nothing is known)
    return 0;
}
