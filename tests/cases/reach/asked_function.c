//@ about: lines behind a function whose results are input
//@ input: calls
//@ args: --input-function next
#include <stdlib.h>

#ifdef CASE_NATIVE
#include <symcrete.h>
static int next(void) { return symcrete_int("next"); }
#else
static int next(void) { abort(); }
#endif

int main(void) {
    int sum = 0;
    for (int i = 0; i < 3; i++) {
        int event = next();
        if (event == 's')
            sum++;
        if (sum > 3)
            return 1; //~ unreachable
    }
    if (sum == 2)
        return 2; //~ reach
    return 0;
}
