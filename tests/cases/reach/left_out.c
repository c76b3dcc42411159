//@ about: statements for which the compiler makes no code: it saw that nothing leads there
//@ input: calls
#include <stdlib.h>
#include <symcrete.h>

static const int debug = 0;

static int sum;

static int never_called(int a) {
    sum += a; //~ unreachable
    return sum;
}

static void serve(int x) {
    while (1) {
        if (x == 7)
            exit(3); //~ reach
        if (x == 8)
            exit(4); //~ reach
        x = x < 7 ? x + 1 : 7;
    }
    exit(5); //~ unreachable
}

static int after_return(int x) {
    return x + 1; //~ reach
    exit(x); //~ unreachable
}

/* Lines of the model's own making have none: of a number that is only kept there is no instruction. */
static int kept(int x) {
    int twice;
    int once;
    once = x;
    twice = 2;
    x = 3;
    return once * twice + x; //~ reach
}

static int labelled(int x) {
    goto out;
back:
    return x; //~ reach
out:
    x += 2; //~ reach
    goto back;
}

int main(void) {
    int x = symcrete_int("x");
    if (0)
        abort(); //~ unreachable
    if (debug && x > 3)
        abort(); //~ unreachable
    asm volatile("" ::: "memory");
    if (x == 12)
        x = after_return(x) + labelled(x) + kept(x); //~ reach
    serve(x);
    return 0;
}
