//@ about: 8-bit arithmetic wraps, truncates and extends as in C
//@ input: stdin =1
//@ args: --strategy dfs
//@ end: exhausted
#include <unistd.h>

int main(void) {
    unsigned char a = 0;
    if (read(0, &a, 1) != 1) return 9;
    unsigned char doubled = a * 2, next = a + 1;
    signed char s = (signed char)a;
    if (next == 0) return 1;             //~ side: both   (wraps)
    if (doubled == 6 && a > 100) return 2; //~ side: both
    if (s < 0 && s > -3) return 3;       //~ side: both
    if ((int)a * 2 == 6 && a > 100) return 4; //~ side: both false
    if ((unsigned char)~a == 0x0f) return 5; //~ side: both
    return 0;
}
