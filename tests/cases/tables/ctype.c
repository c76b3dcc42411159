//@ about: the C library's own character tables, as its macros read them
//@ input: stdin =2
//@ args: --strategy dfs
//@ iterations: <= 12
//@ end: exhausted
#include <ctype.h>
#include <unistd.h>

static int has(int c, int class) { return (*__ctype_b_loc())[c] & class; }

int main(void) {
    unsigned char b[2];
    if (read(0, b, 2) != 2) return 9;
    if (!has(b[0], _ISalpha)) return 1;                   //~ side: both
    if (has(b[1], (unsigned short)_ISdigit)) return 2;    //~ side: both
    int low = (*__ctype_tolower_loc())[b[0]];
    if (low == 'q' && b[0] != 'q') return 3;              //~ side: both
    if (low == '7') return 4;                             //~ side: false
    return 0;
}
