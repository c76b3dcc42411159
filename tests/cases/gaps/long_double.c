//@ about: long double is not tracked
//@ should: follow it
//@ input: stdin =4
//@ args: --strategy dfs
//@ lost: float:sitofp
//@ end: nothing-left
#include <unistd.h>

int main(void) {
    int x;
    if (read(0, &x, 4) != 4) return 9;
    long double d = x;
    if (d / 2 == 1024.5L) return 1; //~ side: false
    return 0;
}
