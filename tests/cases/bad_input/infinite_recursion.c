//@ about: recursion without end on most inputs is a stack overflow, found natively too
//@ input: stdin =1
//@ args: --strategy dfs
//@ iterations: <= 10
//@ lost: limit
#include <unistd.h>

static int down(volatile int *n, unsigned char c) {
    volatile int here = *n;
    if (c == '.') return here; //~ side: both
    return down(&here, c) + here + 1; //~ crash: stack-overflow
}

int main(void) {
    unsigned char c;
    int zero = 0;
    if (read(0, &c, 1) != 1) return 9;
    return down(&zero, c);
}
