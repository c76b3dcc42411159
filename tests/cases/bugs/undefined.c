//@ about: overflow, bad shifts, division by zero, bounds and null found by clang's own checks
//@ input: stdin =12
//@ args: --strategy dfs --check undefined
//@ iterations: <= 300
//@ lost: address
#include <unistd.h>

static int table[8];

int main(void) {
    int v[3];
    if (read(0, v, 12) != 12) return 9;
    if (v[0] == 1) return v[1] + v[2];                    //~ side: both   crash: undefined
    if (v[0] == 2) return 1 << v[1];                      //~ side: both   crash: undefined
    if (v[0] == 3) return table[v[1]];                    //~ side: both   crash: undefined
    if (v[0] == 4) return v[1] / v[2];                    //~ side: both   crash: undefined
    return 0;
}
