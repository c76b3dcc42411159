//@ about: switch with shared labels, a range, fall-through and a default
//@ input: stdin =1
//@ args: --strategy dfs
//@ end: exhausted
#include <unistd.h>

int main(void) {
    unsigned char c = 0;
    if (read(0, &c, 1) != 1) return 9;
    int r = 0;
    switch (c) {
    case 'a': case 'b': r = 1; break; //~ case: 2
    case '0' ... '9': r = 2;          //~ case: 1
    /* fall through */
    case 200: r += 10; break; //~ case: 1
    case 255: r = 3; break;   //~ case: 1
    default: r = 4;           //~ case: 1
    }
    return r;
}
