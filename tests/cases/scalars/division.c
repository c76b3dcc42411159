//@ about: quotient and remainder, signed and unsigned, of 32-bit numbers
//@ input: stdin =8
//@ args: --strategy dfs
//@ end: exhausted
#include <unistd.h>

int main(void) {
    int v[2];
    if (read(0, v, 8) != 8) return 9;
    if (v[1] == 0 || v[1] == -1) return 1;                    //~ side: both
    if (v[0] / v[1] == -7 && v[0] % v[1] == -3) return 2;     //~ side: both
    if ((unsigned)v[0] % 1000 == 123 && v[0] < 0) return 3;   //~ side: both
    if (v[0] % 4 == 1 && (v[0] & 3) != 1) return 4;           //~ side: both false
    return 0;
}
