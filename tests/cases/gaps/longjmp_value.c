//@ about: the value handed to longjmp is concrete where setjmp returns it
//@ should: follow it: case 42 is one decision away
//@ input: stdin =3
//@ args: --strategy dfs
//@ end: nothing-left
//@ lost: call:_setjmp
#include <setjmp.h>
#include <unistd.h>

static jmp_buf out;

__attribute__((noinline)) static void deeper(int depth, unsigned char code) {
    if (depth == 0) longjmp(out, code);
    deeper(depth - 1, code);
}

int main(void) {
    unsigned char b[3];
    if (read(0, b, 3) != 3) return 9;
    switch (setjmp(out)) {
    case 0: break;
    case 42: return b[1] == 'z' ? 1 : 2; //~ side: neither
    default: return 3;                   //~ reach
    }
    if (b[0]) deeper(3, b[0]); //~ side: both
    return 0;                  //~ reach
}
