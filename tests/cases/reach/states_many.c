//@ about: a machine that counts: more states than are told apart
//@ input: calls
//@ iterations: <= 10
#include <symcrete.h>

static int state, rounds, late;

static void step(int event) {
    switch (state) {
    case 0:
        if (event == 1)
            state = 1;
        break;
    case 1:
        if (event == 2) {
            state = 0;
            rounds++;
        } else if (event == 4 && rounds == 3)
            state = 4; //~ reach
        break;
    case 4:
        if (rounds != 3)
            late = 1; //~ unreachable
        if (event == 6)
            state = rounds;
        break;
    case 5:
        late = 2; //~ unreachable
        break;
    case 3:
        if (event == 9)
            late = 3; //~ reach
        break;
    default:
        late = 4; //~ unreachable
    }
}

int main(void) {
    for (;;) {
        unsigned char event = symcrete_uchar("event");
        if (event > 9)
            return 0;
        step(event);
    }
}
