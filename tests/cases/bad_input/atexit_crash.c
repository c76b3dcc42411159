//@ about: a crash while the program is ending is a crash
//@ input: stdin =1
//@ args: --strategy dfs
//@ iterations: <= 30
#include <stdlib.h>
#include <unistd.h>

static volatile int *nowhere;
static void at_end(void) { *nowhere = 1; } //~ crash: crash

int main(void) {
    unsigned char c;
    if (read(0, &c, 1) != 1) return 9;
    if (c == '!') atexit(at_end); //~ side: both
    return 0;
}
