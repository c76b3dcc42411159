//@ about: numbers in the text that must fit together, whatever is computed from them: they are solved for as numbers, with any count of digits
//@ input: stdin 24
//@ args: --until coverage=100%
//@ iterations: <= 8000
//@ end: goal
//@ alone: only `auto` guesses
//@ allow: unknown
#include <stdio.h>
#include <unistd.h>

int main(void) {
    char line[25] = {0};
    int a, b, c;
    if (read(0, line, 24) < 1) return 9;
    if (sscanf(line, "%d %d %d", &a, &b, &c) != 3) return 8; //~ side: both
    if (a > 20 && a < b && c < 1000) { //~ side: both
        if (a * a + b * b == c * c) return 1; //~ side: both
    }
    if (a > 1 && b > 1 && a * b == 9797) return 2; //~ side: both
    if (c > 100000 && c % 99991 == 4242) return 3; //~ side: both
    return 0;
}
