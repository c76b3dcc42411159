//@ about: snapshots right before a server reads from its connection, which is replaced for each run from there
//@ input: socket 200
//@ args: --strategy hybrid --until coverage=100%
//@ iterations: <= 8000
//@ end: goal
#include <unistd.h>

int main(void) {
    unsigned char c[2];
    unsigned state = 0;
    while (read(0, c, 2) == 2) { //~ side: both
        (void)!write(1, "ok\n", 3);
        if (c[0] == 'A' + state && c[1] == 3 * state) state++; //~ side: both
        else state = 0;
        if (state == 6) return 7; //~ side: both
    }
    return 0;
}
