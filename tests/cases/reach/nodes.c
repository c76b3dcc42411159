//@ about: what lies in structs on the heap, however many there are: fields, handlers, links, copies, memory not yet written
//@ input: calls
#include <stdlib.h>
#include <string.h>
#include <symcrete.h>

struct node {
    int kind;
    int value;
    void (*act)(int);
    void (*spare)(int);
    struct node *next;
};

static struct node *list;
static struct node kept, poked;

static void quiet(int key) {
    if (key == 5)
        symcrete_target(1); //~ reach (called through the pointer)
}

static void loud(int key) {
    if (key)
        symcrete_target(2); //~ unreachable (no pointer that is called holds it)
}

static void fill(struct node *n, int kind) {
    n->kind = kind;
    n->act = kind == 3 ? quiet : NULL;
    n->spare = loud;
}

static void add(int key) {
    struct node *n = malloc(sizeof *n);
    if (!n)
        return;
    fill(n, key & 1 ? 1 : 3);
    n->next = list;
    if (key > 6) {
        free(n);
        return;
    }
    n->value = 2;
    list = n;
}

int main(void) {
    for (;;) {
        int key = symcrete_int("key");
        if (key < 0 || key > 9)
            break;
        add(key);
    }
    for (struct node *n = list; n; n = n->next) {
        if (n->kind == 2)
            symcrete_target(3); //~ unreachable (nothing makes such a one)
        if (n->kind == 3)
            symcrete_target(4); //~ reach
        if (n->act)
            n->act(n->value + n->kind);
        if (n->value == 9)
            symcrete_target(5); //~ unreachable
    }
    struct node *copy = malloc(sizeof *copy);
    if (!copy)
        return 0;
    memset(copy, 0, sizeof *copy);
    if (list)
        *copy = *list;
    memcpy(&kept, copy, sizeof kept);
    if (kept.kind == 1)
        symcrete_target(6); //~ reach (copied twice)
    if (kept.kind == 4)
        symcrete_target(7); //~ unreachable
    poked = kept;
    memset((char *)&poked.kind + 1, 1, 1);
    if (poked.kind == 0x103)
        symcrete_target(8); //~ reach (a byte in the middle was written)
    return 0;
}
