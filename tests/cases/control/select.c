//@ about: choices that the optimiser turns into selects are decisions all the same
//@ input: stdin =8
//@ args: --strategy dfs
//@ end: exhausted
#include <unistd.h>

int main(void) {
    int v[2];
    if (read(0, v, 8) != 8) return 9;
    int larger = v[0] > v[1] ? v[0] : v[1];             //~ side: both
    int sign = v[0] < 0 ? -1 : v[0] > 0;                //~ side: both
    int clamped = larger > 100 ? 100 : larger;          //~ side: both
    if (sign == -1 && larger == 7) return 1;            //~ side: both
    return clamped == 100 && sign == 0;                 //~ side: both
}
