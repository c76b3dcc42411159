//@ about: many targets and little time: what runs settle at once takes no time from the others
//@ input: calls
//@ iterations: <= 4
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <symcrete.h>

static int sum(int n, ...) {
    va_list list;
    va_start(list, n);
    int s = 0;
    for (int i = 0; i < n; i++)
        s += va_arg(list, int);
    va_end(list);
    return s;
}

static int count(const char *form, ...) {
    va_list list;
    va_start(list, form);
    int r = 0;
    for (; *form; form++)
        if (*form == 'd') r += va_arg(list, int);
        else if (*form == 's') r += (int)strlen(va_arg(list, char *));
        else r += (int)va_arg(list, double);
    va_end(list);
    return r;
}

int main(void) {
    unsigned char a = symcrete_uchar("a"), b = symcrete_uchar("b");
    if (b > 7) return 0;
    if (sum(3, a, b, 1) == 0)
        symcrete_target(1); //~ unreachable
    if (sum(3, a, b, 1) == 10)
        symcrete_target(2); //~ reach
    if (sum(2, a, b) > 262)
        symcrete_target(3); //~ unreachable
    if (sum(2, a, b) == 262)
        symcrete_target(4); //~ reach
    int r = count("dsf", a, "hey", 2.5);
    if (r == 15)
        symcrete_target(5); //~ reach
    if (r == 4)
        symcrete_target(6); //~ unreachable
    if (sum(8, 1, 2, 3, 4, 5, 6, 7, (int)a) == 28)
        symcrete_target(7); //~ reach
    if (sum(8, 1, 2, 3, 4, 5, 6, 7, (int)a) < 28)
        symcrete_target(8); //~ unreachable
    char text[32];
    snprintf(text, sizeof text, "%d-%x", a, b);
    if (!strcmp(text, "12-3"))
        symcrete_target(9); //~ reach
    if (!strcmp(text, "300-3"))
        symcrete_target(10); //~ unreachable
    if (strlen(text) > 5)
        symcrete_target(11); //~ unreachable
    if (strlen(text) == 5)
        symcrete_target(12); //~ reach
    int x = -1;
    unsigned y = 0;
    sscanf("42 17", "%d %u", &x, &y);
    if (x == 42)
        symcrete_target(13); //~ reach
    if (x == -1)
        symcrete_target(14); //~ unreachable
    if (y == 18)
        symcrete_target(15); //~ unreachable
    return 0;
}
