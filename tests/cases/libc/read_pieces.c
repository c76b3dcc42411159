//@ about: read in pieces, and what a short read leaves
//@ input: stdin 6
//@ args: --strategy dfs
//@ iterations: <= 300
#include <unistd.h>

int main(void) {
    unsigned char head[2], body[4];
    if (read(0, head, 2) != 2) return 1;       //~ side: both
    if (head[1] > 4) return 2;                 //~ side: both
    long n = read(0, body, head[1]);
    if (n != head[1]) return 3;                //~ side: both
    if (n == 3 && body[2] == head[0]) return 4; //~ side: both
    return 0;
}
