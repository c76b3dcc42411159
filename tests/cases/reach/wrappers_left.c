//@ about: objects from functions around malloc that are left by a jump: what was written before stays, the rest was never written
//@ input: function wrappers_left
#include <setjmp.h>
#include <stdlib.h>
#include <symcrete.h>

#define APART __attribute__((noinline)) static

struct thing {
    int kind;
    int flag;
};

static jmp_buf env;
static struct thing *half, *whole;

APART void refuse(int a) {
    if (a == 3)
        longjmp(env, 1);
}

APART struct thing *get(void) {
    struct thing *p = malloc(sizeof *p);
    if (!p)
        exit(1);
    return p;
}

APART struct thing *get_half(int a) {
    struct thing *p = half = get();
    refuse(a);
    p->kind = 1;
    p->flag = 2;
    return p;
}

APART struct thing *get_whole(int a) {
    struct thing *p = get();
    p->kind = 1;
    p->flag = a > 9 ? 2 : 4;
    whole = p;
    refuse(a);
    return p;
}

void wrappers_left(unsigned char a, unsigned char b) {
    if (setjmp(env) == 0) {
        struct thing *w = get_whole(b), *h = get_half(a);
        if (w->flag == 4 && h->flag == 2)
            symcrete_target(1); //~ reach
        return;
    }
    if (whole && whole->kind == 9)
        symcrete_target(2); //~ unreachable (it was written before anybody could jump)
    if (whole && whole->flag == 4 && b == 3)
        symcrete_target(3); //~ reach
    if (half && half->kind == 9)
        symcrete_target(4); //~ unknown: external:_setjmp (it may never have been written)
}
