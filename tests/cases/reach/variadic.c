//@ about: what is written by addresses that went behind `...`
//@ input: stdin 6
#include <stdarg.h>
#include <stdio.h>

#define APART __attribute__((noinline)) static

APART void set(int value, ...) {
    va_list list;
    va_start(list, value);
    *va_arg(list, int *) = value;
    va_end(list);
}

APART void look(int count, ...) { (void)count; }

int main(void) {
    int v = 0, w = 0, x = 0, list[2] = {0};
    int n = scanf("%d", &v);
    if (n == 1 && v == 6543) return 1; //~ reach
    set(n, &w);
    if (w == 1) return 2; //~ reach
    if (w == 5)
        return 3; //~ unreachable
    look(1, &x);
    if (x)
        return 4; //~ unreachable
    set(n, &list[1]);
    if (list[1] == -1) return 5; //~ reach
    if (list[0])
        return 6; //~ unreachable
    return 0;
}
