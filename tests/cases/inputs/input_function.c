//@ about: what a function of the program returns is input, and its body is not run
//@ input: calls
//@ args: --strategy dfs --input-function key --input-function level
//@ end: exhausted
#include <stdlib.h>

#ifdef CASE_NATIVE
#include <symcrete.h>
static int key(void) { return symcrete_int("key"); }
unsigned char level(int of) { (void)of; return symcrete_uchar("level"); }
#else
static int key(void) { abort(); }
unsigned char level(int of) {
    if (of == 3) abort();
    return 7;
}
#endif

int main(void) {
    int (*by_pointer)(void) = key;
    int first = key();
    if (first == 100000) {               //~ side: both
        if (by_pointer() == first + 1)   //~ side: both
            return level(3) > 200;
        return 2;                        //~ reach
    }
    return 0;
}
