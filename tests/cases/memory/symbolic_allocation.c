//@ about: the size of an allocation comes from input
//@ input: stdin =2
//@ args: --strategy dfs
//@ may-lose: allocation:malloc
//@ may-lose: allocation
//@ iterations: <= 400
#include <stdlib.h>
#include <unistd.h>

int main(void) {
    unsigned char b[2];
    if (read(0, b, 2) != 2) return 9;
    unsigned char *p = malloc(b[0] + 1);
    p[b[0]] = b[1];
    int r = p[b[0]] == 200;
    free(p);
    if (r && b[0] == 17) return 1; //~ side: both
    return 0;
}
