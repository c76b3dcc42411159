//@ about: objects that come out of functions around malloc are told apart by who asked for them, and by nothing else
//@ input: calls
#include <stdlib.h>
#include <string.h>
#include <symcrete.h>

#define APART __attribute__((noinline)) static

struct thing {
    int kind;
    int flag;
    int (*act)(int);
    struct thing *next;
};

APART void *get(size_t size) {
    void *p = malloc(size);
    if (!p)
        exit(1);
    return p;
}

APART void *get_zeros(size_t size) { return memset(get(size), 0, size); }

// Keeps what it gives away.
static struct thing *last;
APART struct thing *get_kept(void) {
    struct thing *p = get_zeros(sizeof *p);
    last = p;
    return p;
}

// Made by itself.
APART struct thing *get_chain(int length) {
    struct thing *p = get_zeros(sizeof *p);
    p->kind = length;
    if (length > 0)
        p->next = get_chain(length - 1);
    return p;
}

// What was there goes along.
APART void *get_more(void *p, size_t size) {
    p = realloc(p, size);
    if (!p)
        exit(1);
    return p;
}

// A place inside what was made.
APART struct thing *get_second(void) {
    struct thing *p = get_zeros(2 * sizeof *p);
    p->kind = 31;
    return p + 1;
}

// One of two.
APART struct thing *get_or(struct thing *old, int fresh) { return fresh ? get_zeros(sizeof *old) : old; }

static void *(*maker)(size_t) = get_zeros;

APART int one(int x) { return x + 1; }
APART int two(int x) {
    if (x == 3)
        symcrete_target(1); //~ unreachable (only the other object has it, and that one is not called)
    return x;
}
APART int three(int x) {
    if (x == 4)
        symcrete_target(2); //~ reach
    return x;
}

static void work(int key) {
    struct thing *a = get(sizeof *a), *b = get(sizeof *b);
    a->kind = key > 5 ? 1 : 2;
    a->act = one;
    a->flag = 0;
    b->kind = 5;
    b->act = two;
    b->flag = 1;
    if (a->act(key) > 100)
        return;
    if (a->kind == 5)
        symcrete_target(3); //~ unreachable (it is the other one's)
    if (a->kind == 2 && key == 4)
        symcrete_target(4); //~ reach

    // One call, many objects.
    struct thing *list = 0;
    for (int i = 0; i <= key; i++) {
        struct thing *n = get(sizeof *n);
        n->kind = i == 2 ? 7 : 6;
        n->act = three;
        n->next = list;
        list = n;
    }
    for (struct thing *n = list; n; n = n->next) {
        if (n->kind == 7 && n != list)
            symcrete_target(5); //~ reach (an older one)
        if (n->kind == 5)
            symcrete_target(6); //~ unreachable
        if (n == list)
            n->act(key);
    }

    struct thing *z = get_zeros(sizeof *z);
    if (key == 1)
        z->kind = 8;
    if (z->flag)
        symcrete_target(7); //~ unreachable (zeros, and never set)
    if (z->kind == 8)
        symcrete_target(8); //~ reach

    struct thing *k = get_kept();
    if (key == 6)
        last->flag = 11;
    if (k->flag == 11)
        symcrete_target(9); //~ reach (by the other way to it)
    if (k->flag == 12)
        symcrete_target(10); //~ unreachable

    struct thing *c = get_chain(key & 3);
    if (c->next && c->next->kind == 2)
        symcrete_target(11); //~ reach
    if (c->flag == 5)
        symcrete_target(12); //~ unreachable

    struct thing *m = get(sizeof *m);
    m->kind = key == 3 ? 21 : 22;
    m->flag = 0;
    m = get_more(m, 4 * sizeof *m);
    if (m->kind == 21)
        symcrete_target(13); //~ reach

    struct thing *s = get_second();
    if (key == 8)
        (s - 1)->flag = 32;
    if (s->kind == 31)
        symcrete_target(14); //~ unreachable (that is in front of it)
    if (s[-1].flag == 32)
        symcrete_target(15); //~ reach

    struct thing *w = get_zeros(sizeof *w), *o = get_or(w, key & 1);
    o->flag = 41;
    if (w->flag == 41)
        symcrete_target(16); //~ reach (it was the old one)

    struct thing *f = maker(sizeof *f), *g = maker(sizeof *g);
    f->kind = key == 2 ? 51 : 0;
    g->kind = 52;
    if (f->kind == 51)
        symcrete_target(17); //~ reach
    if (f->flag == 51)
        symcrete_target(18); //~ unreachable
}

int main(void) {
    for (;;) {
        int key = symcrete_int("key");
        if (key < 0 || key > 9)
            return 0;
        work(key);
    }
}
