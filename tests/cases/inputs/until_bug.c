//@ about: --until bug stops at the first bug
//@ input: stdin 8
//@ args: --strategy dfs --until bug
//@ end: goal
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(void) {
    char b[8];
    long n = read(0, b, 8);
    if (n > 1 && b[0] == 'b' && b[1] == 'u') abort(); //~ crash: abort
    for (int i = 2; i < n; i++)
        if (b[i] == 'x') return i;
    return 0;
}
