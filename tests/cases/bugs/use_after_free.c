//@ about: a use after free, found by AddressSanitizer
//@ input: stdin =1
//@ args: --strategy dfs --check address
//@ iterations: <= 50
//@ lost: stale
#include <stdlib.h>
#include <unistd.h>

int main(void) {
    char c;
    if (read(0, &c, 1) != 1) return 9;
    volatile char *p = malloc(8);
    p[0] = c;
    if (c == 'f') free((void *)p); //~ side: both
    if (p[0] == 'q') return 1;     //~ crash: address
    return 0;
}
