//@ about: an index that is checked stays inside; one that is not also goes outside, where it is fixed and counted
//@ input: stdin =8
//@ args: --strategy dfs
//@ iterations: <= 12
//@ lost: address
#include <unistd.h>

static int checked[10] = {5, 3, 1, 4, 1, 5, 9, 2, 6, 5};

int main(void) {
    int v[2];
    volatile int sink;
    if (read(0, v, 8) != 8) return 9;
    if (v[0] < 0 || v[0] >= 10) return 1;     //~ side: both
    if (checked[v[0]] == 9) return 2;         //~ side: both
    if (checked[v[0]] == 7) return 3;         //~ side: false
    if (v[1] < 0 || v[1] > 10) return 4;      //~ side: both
    int local[10];
    for (int i = 0; i < 10; i++) local[i] = i * 3;
    sink = local[v[1]];
    if (sink == 27) return 5;                 //~ side: both
    return 0;
}
