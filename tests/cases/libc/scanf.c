//@ about: scanf reads numbers and words of standard input
//@ input: stdin 6
//@ iterations: <= 2500
#include <stdio.h>

int main(void) {
    int n;
    char c;
    int got = scanf("%d%c", &n, &c);
    if (got == EOF) return 1;             //~ side: both
    if (got == 0) return 2;               //~ side: both
    if (got == 2 && c == ';') {           //~ side: both
        if (n == -42) return 3;           //~ side: both
        return 4;
    }
    return 0;
}
