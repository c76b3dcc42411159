//@ about: a null pointer is dereferenced
//@ input: stdin =4
//@ args: --strategy dfs
//@ may-lose: path
//@ end: exhausted
#include <unistd.h>

int main(void) {
    int x, *p = &x;
    if (read(0, &x, 4) != 4) return 9;
    if (x == 77) //~ side: both
        p = 0;
    return *p; //~ crash: crash
}
