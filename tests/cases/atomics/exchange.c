//@ about: the hidden branch of a compare-and-swap is no side of the user's code
//@ input: stdin =8
//@ args: --strategy dfs
//@ end: exhausted
#include <stdatomic.h>
#include <unistd.h>

static _Atomic int counter = 10;

int main(void) {
    int v[2];
    if (read(0, v, 8) != 8) return 9;
    if (atomic_compare_exchange_strong(&counter, &v[0], v[1])) return 1; //~ side: both
    return 0;
}
