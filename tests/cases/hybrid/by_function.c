//@ about: a function of the program is the input of a hybrid run
//@ input: calls
//@ args: --strategy hybrid --input-function next_key --until coverage=100%
//@ iterations: <= 4000
//@ end: goal
#include <stdio.h>
#ifdef CASE_NATIVE
#include <symcrete.h>
static int next_key(void) { return symcrete_int("next_key"); }
#else
static int next_key(void) { return getchar(); }
#endif

int main(void) {
    int mode = 0;
    for (;;) {
        int key = next_key();
        if (mode == 0 && key == ':') mode = 1;       //~ side: both
        else if (mode == 1 && key == 'q') mode = 2;  //~ side: both
        else if (mode == 2 && key == '\n') return 0; //~ side: both
        else if (key == 27) mode = 0;                //~ side: both
    }
}
