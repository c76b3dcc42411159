//@ about: decisions that do not depend on the input are said to need another one, and so is what lies behind them
//@ input: stdin =2
//@ args: --strategy dfs
//@ end: exhausted
#include <unistd.h>

static volatile int configured;

static int deeper(int x) {
    return x == 3 ? 4 : 5;                    //~ side: neither uncovered: input
}

int main(void) {
    unsigned char b[2];
    if (read(0, b, 2) != 2) return 9;         //~ side: false uncovered: input
    if (configured) {                         //~ side: false uncovered: input
        if (b[0] == 'x') return deeper(b[1]); //~ side: neither uncovered: input
    }
    if (b[0] > 'a' && b[0] < 'a') return 1;   //~ side: both false uncovered: unreachable
    return b[1] == 'y';
}
