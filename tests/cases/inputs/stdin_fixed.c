//@ about: standard input of exactly so many bytes never ends early
//@ input: stdin =2
//@ args: --strategy dfs
//@ end: exhausted
#include <stdio.h>

int main(void) {
    int a = getchar(), b = getchar(), c = getchar();
    if (a == EOF || b == EOF) return 1; //~ side: false
    if (c != EOF) return 2;             //~ side: false
    if (a == 'o' && b == 'k') return 3; //~ side: both
    return 0;
}
