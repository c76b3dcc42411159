//@ about: library functions without a model that take input themselves are counted, from standard input and from files
//@ input: stdin =8
//@ input: file data:4
//@ args: --strategy dfs
//@ iterations: <= 40
//@ lost: call:getw
//@ end: nothing-left
#include <stdio.h>

int main(void) {
    if (getchar() == 'a') return 1; //~ side: both
    int n = getw(stdin);
    FILE *f = fopen("data", "r");
    if (getw(f) == 77) return 2;    //~ side: false
    if (n == 42) return 3;          //~ side: false
    return 0;
}
