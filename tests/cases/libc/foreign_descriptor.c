//@ about: readv has no model: what it takes from standard input is counted; what was read before it is followed
//@ input: stdin =4
//@ args: --strategy dfs
//@ iterations: <= 40
//@ lost: call:readv
//@ end: nothing-left
#include <sys/uio.h>
#include <unistd.h>

int main(void) {
    unsigned char a, b[2], c;
    struct iovec part = {b, 2};
    if (read(0, &a, 1) != 1) return 9;
    if (a == 'x') return 1;            //~ side: both
    if (readv(0, &part, 1) != 2) return 8;
    if (b[0] == 'y') return 2;         //~ side: false
    if (read(0, &c, 1) != 1) return 7;
    return c == 'z' ? 3 : 0;           //~ side: both
}
