//@ about: a program that asks for input for ever and is cut after --max-inputs requests is called a timeout
//@ should: report no bug: the cut was ours
//@ input: calls
//@ args: --strategy dfs --max-inputs 4 --timeout 300ms
//@ iterations: <= 300
#include <symcrete.h>

int main(void) {
    int state = 0;
    for (;;) {
        unsigned char c = symcrete_uchar("c");
        if (state == 2 && c == '!') return 1;
        if (c == 'a' + state) state++;         //~ crash: timeout
        else state = 0;
    }
}
