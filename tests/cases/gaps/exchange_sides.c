//@ about: a compare-and-swap has a hidden branch that is counted as two sides of the user's code
//@ should: count two sides in line 14, as clang's coverage does
//@ input: stdin =8
//@ args: --strategy dfs
//@ allow: sides
#include <stdatomic.h>
#include <unistd.h>

static _Atomic int counter = 10;

int main(void) {
    int v[2];
    if (read(0, v, 8) != 8) return 9;
    if (atomic_compare_exchange_strong(&counter, &v[0], v[1])) return 1; //~ side: both
    return 0;
}
