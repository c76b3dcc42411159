//@ about: a function with computed gotos has no tracking body: what it does with input is lost and counted
//@ input: stdin =3
//@ args: --strategy dfs
//@ iterations: <= 50
//@ lost: call:dispatch
//@ end: nothing-left
#include <unistd.h>

__attribute__((noinline)) static int dispatch(unsigned char op) {
    static void *const labels[] = {&&zero, &&one, &&more};
    goto *labels[op > 1 ? 2 : op];
zero:
    return 10;
one:
    return 20;
more:
    return 30;
}

int main(void) {
    unsigned char b[3];
    if (read(0, b, 3) != 3) return 9;
    if (b[1] == 5) return 1; //~ side: both
    return dispatch(b[0]);
}
