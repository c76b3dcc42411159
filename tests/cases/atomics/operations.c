//@ about: atomic loads, stores, exchanges, additions and compare-and-swap in one thread
//@ input: stdin =8
//@ args: --strategy dfs
//@ end: exhausted
#include <stdatomic.h>
#include <unistd.h>

static _Atomic int counter = 10;

int main(void) {
    int v[2];
    if (read(0, v, 8) != 8) return 9;
    int before = atomic_fetch_add(&counter, v[0]);
    if (before != 10) return 1;                                   //~ side: false
    if (atomic_load(&counter) == 110) return 2;                   //~ side: both
    int expected = 55;
    _Bool swapped = atomic_compare_exchange_strong(&counter, &expected, v[1]);
    if (swapped) {                                                //~ side: both
        if (atomic_exchange(&counter, 0) == 66) return 3;         //~ side: both
        return 4;
    }
    if (expected == 99) return 5;                                 //~ side: both
    atomic_fetch_xor(&counter, 0xff);
    if ((atomic_load(&counter) & 0xff) == 0xa5) return 6;         //~ side: both
    return 0;
}
