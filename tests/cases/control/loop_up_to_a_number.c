//@ about: runs that loop up to a number of the input are cut early on; what they do behind the loop is seen all the same
//@ input: stdin 8
//@ args: --until coverage=100%
#include <stdlib.h>
#include <unistd.h>

int main(void) {
    unsigned n, m, odd = 0;
    if (read(0, &n, 4) != 4 || read(0, &m, 4) != 4) return 9; //~ side: both both
    if (n > 70000) return 1; //~ side: both
    for (unsigned i = 0; i < n; i++) { //~ side: both
        if (i * 2 == m) odd++; //~ side: both
    }
    if (n == 60007) { //~ side: both
        if (m == 120012) return 2; //~ side: both
        return 3;
    }
    return odd;
}
