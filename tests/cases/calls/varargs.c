//@ about: input travels through variadic parameters of several types
//@ input: stdin =13
//@ args: --strategy dfs
//@ end: exhausted
#include <stdarg.h>
#include <unistd.h>

__attribute__((noinline)) static long pick(int which, ...) {
    va_list list;
    va_start(list, which);
    int i = va_arg(list, int);
    long l = va_arg(list, long);
    char *text = va_arg(list, char *);
    va_end(list);
    switch (which) {
    case 0: return i;   //~ case: 1
    case 1: return l;   //~ case: 1
    default: return text[0] - text[1]; //~ case: 1
    }
}

int main(void) {
    int i;
    long l;
    unsigned char which;
    if (read(0, &which, 1) != 1 || read(0, &i, 4) != 4 || read(0, &l, 8) != 8) return 9;
    long r = pick(which, i, l, (char *)&l);
    if (r == -77) return 1; //~ side: both
    return 0;
}
