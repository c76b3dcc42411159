//@ about: what is put into memory on the heap through a pointer that is checked once, and copied
//@ input: calls
#include <stdlib.h>
#include <symcrete.h>

struct stack {
    int *values;
    int count, room;
};

static int push(struct stack *s, int value) {
    if (s->count == s->room)
        return 0; //~ unreachable
    s->values[s->count++] = value;
    return 1;
}

static int pop(struct stack *s) {
    if (s->count == 0)
        return -1; //~ unreachable
    return s->values[--s->count];
}

int main(void) {
    struct stack s = {malloc(32), 0, 8};
    if (!s.values)
        return 1;
    int x = symcrete_int("x");
    push(&s, x);
    push(&s, x + 1);
    if (s.count != 2)
        return 2; //~ unreachable
    if (s.values[0] != x)
        return 3; //~ unreachable
    if (pop(&s) != x + 1)
        return 4; //~ unreachable
    if (pop(&s) == 7)
        return 5; //~ reach
    return 0;
}
