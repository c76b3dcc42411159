//@ about: indices with bounds: what is written into an array comes to none of the fields around it
//@ input: calls
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <symcrete.h>

#define APART __attribute__((noinline)) static

struct table {
    int wide;
    signed char lengths[256];
    int classes[256];
    int mode;
    long sizes[40];
    int last;
};

static struct table table, spoilt;

APART void fill(struct table *t) {
    for (int i = 0; i < 256; i++) {
        t->lengths[i] = i < 128 ? 1 : -1;
        t->classes[i] = i + 7;
    }
    for (size_t i = 0; i < 40; i++)
        t->sizes[i] = 5;
}

// Bytes, remainders, masks and shifts have bounds of their own.
APART void mark(struct table *t, unsigned char key, unsigned number) {
    t->lengths[key] = 3;
    t->classes[number % 256] = 900;
    t->classes[number & 255] = 901;
    t->classes[number >> 24] = 902;
}

// A check by somebody else is one, too; what goes by is not.
APART void put(struct table *t, long at, int value) {
    if (at < 0 || at >= 256)
        return;
    t->classes[at] = value;
}

APART void slip(struct table *t, long at, int value) {
    if (at < 0 || at > 256)
        return;
    int *classes = t->classes;
    classes[at] = value;
}

struct list {
    struct list *next;
    ptrdiff_t used, room;
    int flag;
    int items[];
};

// Sizes that are computed with checks are numbers, whatever else they are made of.
APART struct list *grown(ptrdiff_t more) {
    ptrdiff_t items, bytes;
    if (__builtin_mul_overflow(more, (ptrdiff_t)sizeof(int), &items))
        return NULL;
    if (__builtin_add_overflow(items, (ptrdiff_t)sizeof(struct list), &bytes))
        return NULL;
    struct list *l = malloc(bytes);
    if (!l)
        return NULL;
    l->next = NULL;
    l->used = 0;
    l->room = more;
    l->flag = 1;
    return l;
}

APART int state(int key) {
    switch (key) {
    case 3:
    case 5:
        return key;
    default:
        return key < 3 ? 0 : 9;
    }
}

static void work(unsigned char key, unsigned char other) {
    fill(&table);
    mark(&table, key, key * 77u);
    if (table.wide)
        symcrete_target(1); //~ unreachable
    if (table.mode)
        symcrete_target(2); //~ unreachable
    if (table.last == 5)
        symcrete_target(3); //~ unreachable
    if (table.classes[other] == 901)
        symcrete_target(4); //~ reach
    if (table.lengths[other] == 3)
        symcrete_target(5); //~ reach

    put(&table, key * 3L - 20, 41);
    if (table.classes[199] == 41)
        symcrete_target(6); //~ reach
    if (table.mode)
        symcrete_target(7); //~ unreachable

    struct list *l = grown(other), *m = grown(other + 1);
    if (!l || !m)
        return;
    l->next = m;
    ptrdiff_t apart = &table.classes[key] - &table.classes[other];
    l->used = apart;
    m->items[0] = 2;
    if (m->flag == 2)
        symcrete_target(8); //~ unreachable
    if (l->used == 17)
        symcrete_target(9); //~ reach
    if (l->next->next)
        symcrete_target(10); //~ unreachable

    int found = state(key);
    if (found == 4 || found == 6)
        symcrete_target(11); //~ unreachable
    if (found == 5)
        symcrete_target(12); //~ reach

    // One place beyond: the field behind it.
    slip(&spoilt, key * 2L, 1);
    if (spoilt.mode)
        symcrete_target(13); //~ reach
}

int main(void) {
    for (;;) {
        unsigned char key = symcrete_uchar("key");
        if (!key)
            return 0;
        work(key, symcrete_uchar("other"));
    }
}
