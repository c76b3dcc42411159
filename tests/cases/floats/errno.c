//@ about: errno after a function of the mathematical library depends on input, and nobody follows it: counted, no proof
//@ input: stdin =8
//@ args: --strategy dfs
//@ cflags: -lm
//@ iterations: <= 20
//@ allow: unknown
//@ lost: errno
#include <errno.h>
#include <math.h>
#include <unistd.h>

double result;

int main(void) {
    double x;
    if (read(0, &x, 8) != 8) return 9;
    errno = 0;
    result = exp(x);
    if (errno) return 1;
    return 0;
}
