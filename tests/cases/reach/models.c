//@ about: a call of malloc that a path looks into: what is not known of its model closes no way
//@ input: function models
#include <stdlib.h>
#include <symcrete.h>

static int table[4] = {4, 1, 57, 5};
static int state = 16, five = 5;
static int *head = &five;

void models(unsigned char a, unsigned char b) {
    if (a > 15 || b > 15)
        return;
    int x = 0;
    if (a < state) {
        for (int i = 3; i < a; i += 3)
            x = i;
        if (*head == 8)
            symcrete_target(1); //~ unreachable
    }
    head = malloc(40);
    int y = x & 7;
    state = table[y & 3];
    if (x + y > (x & b))
        symcrete_target(2); //~ reach
    if (state == 58)
        symcrete_target(3); //~ unreachable
}
