//@ about: a program that asks for input for ever is cut after --max-inputs requests, which is no bug
//@ input: calls
//@ args: --strategy dfs --max-inputs 4
//@ iterations: <= 1000
//@ end: nothing-left
#include <symcrete.h>

int main(void) {
    int state = 0;
    for (;;) {
        unsigned char c = symcrete_uchar("c");
        if (state == 2 && c == '!') return 1; //~ side: both
        if (c == 'a' + state) state++;        //~ side: both
        else state = 0;
    }
}
