//@ about: two workers on requests: each run gets values of its own, and a crash that both find is one bug
//@ input: calls
//@ args: --jobs 2
//@ iterations: <= 600
//@ allow: unknown nondeterministic
#include "symcrete.h"
#include <stdlib.h>

int main(void) {
    int level = 0;
    for (int turn = 0; turn < 4; turn++) {           //~ side: both
        unsigned char key;
        symcrete_bytes(&key, 1, "key");
        if (key == "open"[level]) level++;           //~ side: both
        else level = 0;
        if (level == 3) abort();                     //~ side: both   crash: abort
    }
    return 0; //~ reach
}
