//@ about: an endless loop on one input is reported as a timeout; the others go on
//@ input: stdin =3
//@ args: --strategy dfs --timeout 300ms
//@ iterations: <= 20
#include <unistd.h>

int main(void) {
    unsigned char b[3];
    if (read(0, b, 3) != 3) return 9;
    for (volatile unsigned turns = 0; b[1] == 200;) turns++; //~ crash: timeout
    if (b[0] == 7) return 1; //~ side: both
    return 0;
}
