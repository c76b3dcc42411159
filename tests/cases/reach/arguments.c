//@ about: how many arguments there are is known
//@ input: arg 3
#include <stdlib.h>

int main(int argc, char **argv) {
    int crosses = 0;
    for (char *p = argv[1]; *p; p++)
        crosses += *p == 'x'; //~ reach
    if (argc > 2)
        return 1; //~ unreachable
    if (argc < 2)
        return 2; //~ unreachable
    if (crosses == 2)
        return 3; //~ reach
    if (crosses + argc > 5)
        return 4; //~ unreachable
    return 0;
}
