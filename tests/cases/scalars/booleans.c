//@ about: truth values stored, combined as numbers, and used as an index of arithmetic
//@ input: stdin =2
//@ args: --strategy dfs
//@ end: exhausted
#include <stdbool.h>
#include <unistd.h>

int main(void) {
    unsigned char b[2];
    if (read(0, b, 2) != 2) return 9;
    bool p = b[0] > 100, q = b[1] == 7, r = b[0] & 1;
    int sum = p + 2 * q + 4 * r;
    if (sum == 7) return 1;  //~ side: both
    if (p ^ q) return 2;     //~ side: both
    if (!p == q) return 3;   //~ side: false
    return 0;
}
