//@ about: calls through pointers that an optimiser sees through are followed all the same
//@ input: calls
#include <symcrete.h>

static int seen;

static int handed(int a) {
    if (a == 3) //~ side: both
        seen = 1; //~ reach
    return a;
}

static int kept(int a) {
    if (a == 4) //~ side: both
        seen = 2; //~ reach
    return a;
}

// Nobody looks at what it gives, and it does nothing else.
static int idle(int a) {
    if (a == 5) //~ side: both
        a = 6; //~ reach
    return a;
}

static int listed(int a) {
    if (a == 7) //~ side: both
        seen = 3; //~ reach
    return a;
}

struct actions {
    int (*act)(int);
};

static const struct actions actions = {listed};

static void use(const struct actions *which, int a) { which->act(a); }
static void each(int (*act)(int), int a) { act(a); }

int main(void) {
    struct actions local;
    local.act = kept;
    each(handed, symcrete_int("a"));
    use(&local, symcrete_int("b"));
    each(idle, symcrete_int("c"));
    actions.act(symcrete_int("d"));
    return seen;
}
