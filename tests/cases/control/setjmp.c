//@ about: setjmp and longjmp over several frames; the runs before and after the jump are followed
//@ input: stdin =3
//@ args: --strategy dfs
//@ end: exhausted
#include <setjmp.h>
#include <unistd.h>

static jmp_buf out;

__attribute__((noinline)) static int check(int depth, const char *text) {
    if (depth == 0 && text[0] == '(') longjmp(out, 1); //~ side: both
    if (depth == 0 && text[0] == '[') longjmp(out, 2); //~ side: both
    return depth == 0 ? text[0] : check(depth - 1, text);
}

int main(void) {
    char b[3];
    if (read(0, b, 3) != 3) return 9;
    switch (setjmp(out)) {
    case 0: break;                       //~ case: 1
    case 1: return b[1] == ')' ? 1 : 2;  //~ side: both
    case 2: return b[1] == ']' ? 3 : 4;  //~ side: both
    default: return 5;                   //~ unreachable
    }
    return check(3, b) == 'x' ? 6 : 7; //~ side: both
}
