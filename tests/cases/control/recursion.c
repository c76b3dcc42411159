//@ about: recursion whose depth is input
//@ input: stdin =1
//@ args: --strategy dfs
//@ iterations: <= 40
//@ end: exhausted
#include <unistd.h>

static unsigned fib(unsigned n) {
    if (n < 2) return n; //~ side: both
    return fib(n - 1) + fib(n - 2);
}

int main(void) {
    unsigned char n = 0;
    if (read(0, &n, 1) != 1) return 9;
    n %= 9;
    unsigned f = fib(n);
    if (f == 21) return 1; //~ side: both
    if (f == 20) return 2; //~ side: false
    return 0;
}
