//@ about: a function's scalar parameters and a struct by value
//@ input: function decide
//@ args: --strategy dfs
//@ iterations: <= 100
struct pair { short left; unsigned char right; };

int decide(int x, long y, struct pair p, unsigned char c) {
    if (x == 12 && y == -5000000000) return 1;     //~ side: both
    if (p.left == 300 && p.right == c) return 2;   //~ side: both
    return 0;
}
