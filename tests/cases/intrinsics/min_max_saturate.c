//@ about: minimum, maximum, absolute value and saturating arithmetic
//@ input: stdin =8
//@ args: --strategy dfs
//@ iterations: <= 400
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

int main(void) {
    int v[2];
    if (read(0, v, 8) != 8) return 9;
    if (__builtin_elementwise_max(v[0], v[1]) == -5) return 1;            //~ side: both
    if (__builtin_elementwise_min((unsigned)v[0], 50u) == 49) return 2;   //~ side: both
    if (abs(v[1]) == 1234 && v[1] < 0) return 3;                          //~ side: both
    if (__builtin_elementwise_add_sat(v[0], v[1]) == INT32_MAX && v[0] > 5 && v[1] == 6) return 4; //~ side: both
    if (__builtin_elementwise_sub_sat((unsigned)v[0], 100u) == 0 && v[0] == 30) return 5;          //~ side: both
    return 0;
}
