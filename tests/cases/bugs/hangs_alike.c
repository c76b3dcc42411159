//@ about: of runs that hang after the same decision only some are replayed; what lies on their way is found all the same
//@ input: stdin =3
//@ args: --strategy dfs --timeout 200ms
//@ iterations: <= 30
//@ lost: hang:alike
#include <unistd.h>

int main(void) {
    unsigned char b[3];
    int bits = 0;
    if (read(0, b, 3) != 3) return 9;
    for (int i = 0; i < 3; i++) {
        if (b[0] >> i & 1) bits++; //~ side: both
    }
    for (volatile unsigned turns = 0; b[1] == 200;) turns++; //~ crash: timeout
    if (bits == 3 && b[2] == 7) return 1; //~ side: both both
    return 0;
}
