//@ about: what is behind a call that never returns, though nobody says so, and what its end rules out elsewhere
//@ input: calls
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <symcrete.h>

#define APART __attribute__((noinline)) static

APART void die(const char *format, ...) {
    va_list list;
    va_start(list, format);
    vfprintf(stderr, format, list);
    va_end(list);
    exit(1);
}

// Ends by one that ends.
APART void usage(int code) {
    if (code > 0) die("wrong use: %d\n", code); //~ reach
    die("wrong use\n"); //~ reach
}

// Comes back now and then.
APART void complain(int code) {
    if (code > 5) die("%d\n", code); //~ reach
}

APART int digit(int c) {
    if (c < '0' || c > '9') usage(c);
    return c - '0'; //~ reach
}

APART void loop(volatile int *turns) {
    for (;;) {
        if (++*turns == 3) exit(2); //~ reach
    }
}

int main(void) {
    int c = symcrete_int("c"), what = symcrete_int("what");
    volatile int turns = 0;
    int v = digit(c);
    if (v > 9)
        return 1; //~ unreachable
    if (v < 0)
        return 2; //~ unreachable
    if (v == 7) {
        die("seven\n");
        turns = 7; //~ unreachable
    }
    if (v == 8) {
        loop(&turns);
        return 3; //~ unreachable
    }
    complain(what);
    if (what > 5)
        return 4; //~ unreachable
    if (what == 5) return 5; //~ reach
    return 0;
}
