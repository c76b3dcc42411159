//@ about: how many arguments there are is known, the fixed ones and those that are input
//@ input: arg 3
//@ arguments: -v
#include <stdlib.h>

int main(int argc, char **argv) {
    int crosses = 0;
    for (char *p = argv[2]; *p; p++)
        crosses += *p == 'x'; //~ reach
    if (argc > 3)
        return 1; //~ unreachable
    if (argc < 3)
        return 2; //~ unreachable
    if (crosses == 2)
        return 3; //~ reach
    if (crosses + argc > 6)
        return 4; //~ unreachable
    return 0;
}
