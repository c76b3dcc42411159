//@ about: values asked for in the source, an assumption, and bytes
//@ input: calls
//@ args: --strategy dfs
//@ iterations: <= 200
#include <symcrete.h>

int main(void) {
    int x = symcrete_int("x");
    unsigned char u = symcrete_uchar("u");
    symcrete_assume(x > 100 && x < 200);
    char text[3];
    symcrete_bytes(text, 3, "text");
    if (x == 150) return 1;                           //~ side: both
    if (x == 250) return 2;                           //~ side: false
    if (u > 200 && symcrete_bool("late")) return 3;   //~ side: both
    if (text[0] == 'a' && text[2] == (char)u) return 4; //~ side: both
    return 0;
}
