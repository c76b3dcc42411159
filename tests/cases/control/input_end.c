//@ about: how much standard input there is is a decision like any other
//@ input: stdin 4
//@ args: --strategy dfs
//@ end: exhausted
#include <unistd.h>

int main(void) {
    unsigned x;
    ssize_t n = read(0, &x, 4);
    if (n == 0) return 1; //~ side: both
    if (n != 4) return 2; //~ side: both
    return x == 77;
}
