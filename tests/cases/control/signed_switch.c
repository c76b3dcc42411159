//@ about: a switch on a signed 64-bit value with far apart labels
//@ input: stdin =8
//@ args: --strategy dfs
//@ end: exhausted
#include <unistd.h>

int main(void) {
    long x;
    if (read(0, &x, 8) != 8) return 9;
    switch (x) {
    case -1: return 1;                  //~ case: 1
    case 0x7fffffffffffffff: return 2;  //~ case: 1
    case -9000000000: return 3;         //~ case: 1
    case 5 ... 8: return 4;             //~ case: 1
    }
    return 0; //~ reach
}
