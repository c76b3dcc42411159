//@ about: checked addition, subtraction and multiplication, signed and unsigned
//@ input: stdin =8
//@ args: --strategy dfs
#include <limits.h>
#include <unistd.h>

int main(void) {
    int v[2], r;
    unsigned u;
    if (read(0, v, 8) != 8) return 9;
    if (__builtin_add_overflow(v[0], v[1], &r)) {        //~ side: both
        if (r == 7) return 1;                            //~ side: both
        return 2;
    }
    if (__builtin_sub_overflow((unsigned)v[0], (unsigned)v[1], &u)) { //~ side: both
        if (u == 0xfffffff0) return 3;                   //~ side: both
        return 4;
    }
    if (__builtin_mul_overflow(v[0], 3, &r)) return 5;   //~ side: both
    if (r == 33 && v[1] == 11) return 6;                 //~ side: both
    return 0;
}
