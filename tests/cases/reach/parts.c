//@ about: what library functions give and write, and arguments beyond the named ones
//@ input: calls
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <symcrete.h>

#define APART __attribute__((noinline)) static

struct large {
    int kind;
    char room[600];
    int far;
    struct small *small;
};

struct small {
    int flag;
};

// Takes no notice of what comes behind.
APART void ignore(const char *format, ...) { (void)format; }

// Changes it.
APART void poke(int count, ...) {
    va_list list;
    va_start(list, count);
    struct small *s = va_arg(list, struct small *);
    s->flag = count;
    va_end(list);
}

APART struct large *make(void) {
    struct large *l = calloc(1, sizeof *l);
    if (!l)
        return NULL;
    l->small = calloc(1, sizeof *l->small);
    return l;
}

APART char *words(void) { return calloc(1, 8); }

static void work(int key) {
    struct large *l = make(), *m = make();
    if (!l || !m || !l->small || !m->small)
        return;
    l->far = key == 2 ? 3 : 4;
    l->small->flag = 1;
    ignore("%p", (void *)l->small);
    if (l->small->flag == 7)
        symcrete_target(1); //~ unreachable (nobody looks at what is handed over)
    if (l->far == 3)
        symcrete_target(2); //~ reach
    if (l->far == 5 || m->kind)
        symcrete_target(3); //~ unreachable
    poke(8, m->small);
    if (m->small->flag == 8)
        symcrete_target(4); //~ reach

    // What is found is part of what was searched.
    char *text = words(), *other = words();
    if (!text || !other)
        return;
    text[0] = 'a';
    text[1] = key > 3 ? 'c' : 'b';
    char *c = strchr(text, 'c');
    if (c)
        *c = 'd';
    if (text[1] == 'd' && key == 5)
        symcrete_target(5); //~ reach
    if (other[1] == 'd')
        symcrete_target(6); //~ unreachable (that was the other text)
}

int main(void) {
    for (;;) {
        int key = symcrete_int("key");
        if (key < 0 || key > 9)
            return 0;
        work(key);
    }
}
