//@ about: function pointers in a table, reached by an input-dependent index
//@ input: stdin =5
//@ args: --strategy dfs
//@ lost: pointer:pointer
#include <unistd.h>

static int twice(int x) { return x * 2; }
static int square(int x) { return x * x; }
static int negate(int x) { return -x; }
static int (*const table[])(int) = {twice, square, negate};

int main(void) {
    unsigned char op;
    int x;
    if (read(0, &op, 1) != 1 || read(0, &x, 4) != 4) return 9;
    if (op >= 3) return 8;         //~ side: both
    int y = table[op](x);
    if (y == 14641) return 1;      //~ side: both
    if (y == -100) return 2;       //~ side: both
    return 0;
}
