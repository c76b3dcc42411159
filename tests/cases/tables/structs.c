//@ about: fields of a table of structs, of different sizes, at one input-dependent index
//@ input: stdin =2
//@ args: --strategy dfs
//@ iterations: <= 12
//@ end: exhausted
#include <unistd.h>

static const struct operation {
    char name;
    short arity;
    int cost;
    long mask;
} operations[] = {
    {'a', 1, 10, 1}, {'b', 2, 20, 2}, {'c', 1, 30, 4}, {'d', 3, 40, 8}, {'e', 2, 50, 16}, {'f', 2, 60, 32},
};

int main(void) {
    unsigned char b[2];
    if (read(0, b, 2) != 2) return 9;
    if (b[0] >= sizeof operations / sizeof *operations) return 8; //~ side: both
    const struct operation *o = &operations[b[0]];
    if (o->arity == 2 && o->mask > 16) return 1;                  //~ side: both
    if (o->name == b[1] && o->cost == 40) return 2;               //~ side: both
    if (o->arity == 3 && o->cost != 40) return 3;                 //~ side: both false
    return 0;
}
