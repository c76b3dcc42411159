//@ about: one variable under several names, here and in another file
//@ input: calls
//@ sources: names_other.c
#include <symcrete.h>

static int first = 1;
extern int second __attribute__((alias("first")));
extern int there, there_too, weak_name;
void set_there(int value);

int main(void) {
    volatile int seen = 0;
    second = symcrete_int("a");
    if (first == 55)
        seen = 1; //~ reach
    if (first != second)
        seen = 2; //~ unreachable
    there = symcrete_int("b");
    if (there_too == 56)
        seen = 3; //~ reach
    if (there_too != there)
        seen = 4; //~ unreachable
    set_there(57);
    if (there != 57)
        seen = 5; //~ unreachable
    if (weak_name != 3)
        seen = 6; //~ unreachable
    return 0;
}
