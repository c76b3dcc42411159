//@ about: exit, _exit, quick_exit, return and a handler registered with atexit, each judged as what it is
//@ input: stdin =1
//@ args: --strategy dfs
//@ iterations: <= 30
//@ end: exhausted
#include <stdlib.h>
#include <unistd.h>

static void at_end(void) { _exit(42); }

__attribute__((noinline)) static void leave(int code) { exit(code); }

int main(void) {
    unsigned char c;
    if (read(0, &c, 1) != 1) return 9;
    if (c == 'e') leave(3);     //~ side: both
    if (c == '_') _exit(4);     //~ side: both
    if (c == 'q') quick_exit(5); //~ side: both
    if (c == 'a') {             //~ side: both
        atexit(at_end);
        return 6;
    }
    return 0; //~ reach
}
