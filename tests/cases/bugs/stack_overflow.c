//@ about: recursion without end on one input only
//@ input: stdin =3
//@ args: --strategy dfs --max-memory 4g
//@ may-lose: path
//@ iterations: <= 20
//@ lost: limit
#include <unistd.h>

static int depth(volatile const char *b, int n) {
    volatile char room[256];
    room[0] = b[0];
    if (b[0] != '(' || b[1] != ')') return n; //~ side: both
    return depth(b, n + 1) + room[0];         //~ crash: stack-overflow
}

int main(void) {
    char b[3];
    if (read(0, b, 3) != 3) return 9;
    return depth(b, 0);
}
