//@ about: computed gotos over a table of labels, by an index of the input and by what a state machine has stored
//@ input: stdin =3
//@ args: --strategy dfs
//@ iterations: <= 400
//@ end: exhausted
#include <stdlib.h>
#include <unistd.h>

__attribute__((noinline)) static int dispatch(unsigned char op) {
    static void *const labels[] = {&&zero, &&one, &&more};
    goto *labels[op > 1 ? 2 : op]; //~ side: both
zero:
    return 10;
one:
    return 20;
more:
    return 30;
}

/* The usual interpreter: each instruction jumps to the next one by itself, with distances instead of addresses. */
static int run(const unsigned char *code) {
    static const int distances[] = {&&stop - &&stop, &&add - &&stop, &&twice - &&stop, &&check - &&stop};
    int sum = 0, at = 0;
#define NEXT goto *(&&stop + distances[at < 3 ? code[at++] & 3 : 0])
    NEXT;
add:
    sum += 3;
    NEXT;
twice:
    sum *= 2;
    NEXT;
check:
    if (sum == 6) abort(); //~ side: both crash: abort
    NEXT;
stop:
    return sum;
}

int main(void) {
    unsigned char b[3];
    if (read(0, b, 3) != 3) return 9;
    if (b[1] == 5) return 1; //~ side: both
    if (b[0] < 4) return run(b); //~ side: both
    return dispatch(b[0] - 4);
}
