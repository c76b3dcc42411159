//@ about: a timeout is placed at the last decision before it, not where the program hung
//@ should: say line 15
//@ input: stdin =3
//@ args: --strategy dfs --timeout 300ms
//@ iterations: <= 10
#include <unistd.h>

int main(void) {
    unsigned char b[3];
    if (read(0, b, 3) != 3) return 9;
    volatile unsigned x = 1;
    if (b[1] == 200) { //~ crash: timeout
        x = 2;
        for (;;)
            x = x * 2 & 0xff;
    }
    return 0; //~ reach
}
