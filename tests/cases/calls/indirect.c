//@ about: a function pointer chosen by input, called with input
//@ input: stdin =5
//@ args: --strategy dfs
#include <unistd.h>

static int plus(int x) { return x + 1000; }
static int minus(int x) { return x - 1000; }

int main(void) {
    unsigned char which;
    int x;
    if (read(0, &which, 1) != 1 || read(0, &x, 4) != 4) return 9;
    int (*f)(int) = which == 'p' ? plus : minus; //~ side: both
    int y = f(x);
    if (y == 5 && which == 'p') return 1;    //~ side: both
    if (y == 5 && x == 1005) return 2;       //~ side: both true
    return 0;
}
