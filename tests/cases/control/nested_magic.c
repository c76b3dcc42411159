//@ about: nested test behind a 32-bit magic word; the inner else is infeasible
//@ input: stdin =4
//@ revisions: full auto
//@ args: --strategy dfs
//@[full] args: --solve full
//@[auto] args: --solve auto
//@ iterations: <= 6
//@ end: exhausted
#include <stdlib.h>
#include <unistd.h>

int main(void) {
    unsigned x;
    if (read(0, &x, 4) != 4) return 0; //~ side: false   (exactly four bytes; plain `stdin 4` would make both)
    if (x == 0xdeadbeef) {             //~ side: both
        if (x & 1) abort();            //~ side: true   crash: abort
        return 2;                      //~ unreachable
    }
    return 1; //~ reach
}
