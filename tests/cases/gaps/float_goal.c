//@ about: float conditions cannot be solved yet: the goal is reached by chance only
//@ should: solve it: x * 3 == 43.5 has one solution
//@ input: stdin =8
//@ args: --strategy dfs
//@ allow: unknown
//@ lost: solver:float
//@ end: nothing-left
#include <unistd.h>

int main(void) {
    double x;
    if (read(0, &x, 8) != 8) return 9;
    if (x * 3 == 43.5) return 1; //~ side: false
    return 0;
}
