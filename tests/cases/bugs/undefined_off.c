//@ about: without --check undefined an overflow is no bug, and deletes nothing
//@ input: stdin =4
//@ args: --strategy dfs
//@ end: exhausted
#include <unistd.h>

int main(void) {
    int x;
    if (read(0, &x, 4) != 4) return 9;
    if (x + 1 < x) return 1; //~ side: both
    return 0;
}
