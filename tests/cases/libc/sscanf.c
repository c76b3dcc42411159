//@ about: sscanf over a buffer of input
//@ input: stdin =6
//@ iterations: <= 3000
#include <stdio.h>
#include <unistd.h>

int main(void) {
    char b[7] = {0};
    unsigned x, y;
    if (read(0, b, 6) != 6) return 9;
    int n = sscanf(b, "%ux%u", &x, &y);
    if (n == 2) {                          //~ side: both
        if (x == 12 && y == 34) return 1;  //~ side: both
        return 2;
    }
    return 0;
}
