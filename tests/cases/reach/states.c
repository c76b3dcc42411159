//@ about: machines with few states: which values of their variables come together, and what only looks as if none did
//@ input: calls
#include <symcrete.h>

enum { IDLE, OPEN, BUSY, DONE };

static int state = IDLE, users;
static int through_pointer, given_away = 2;
static volatile int touched;
int public_count;

static void step(int event) {
    switch (state) {
    case IDLE:
        if (users != 0)
            state = 9; //~ unreachable
        if (event == 1) {
            state = OPEN;
            users = 1;
        }
        break;
    case OPEN:
        if (users != 1)
            state = 8; //~ unreachable
        if (event == 2) {
            state = BUSY;
            users = 2;
            public_count = 5; //~ reach
        }
        if (event == 3)
            state = DONE;
        break;
    case BUSY:
        if (users != 2 || public_count != 5)
            state = 7; //~ unreachable
        if (event == 4) {
            state = IDLE;
            users = 0;
        }
        break;
    case DONE:
        if (users == 2)
            state = 6; //~ unreachable
        if (event == 5 && public_count == 5)
            state = 5; //~ reach
        break;
    default:
        users = 3; //~ reach
    }
}

static void write_to(int *where) {
    *where = 4;
}

static int down(int n) {
    if (n == 0)
        return users;
    return down(n - 1);
}

int main(void) {
    int *p = &through_pointer;
    for (int turn = 0; turn < 7; turn++)
        step(symcrete_uchar("event"));
    *p = state == DONE ? 7 : 1;
    write_to(&given_away);
    if (through_pointer == 7)
        users += 10; //~ reach
    if (given_away == 4 && users == 1)
        users += 20; //~ reach
    if (given_away == 5)
        users += 30; //~ unreachable
    touched = 3;
    if (touched != 3)
        users += 40; //~ unreachable
    if (down(3) > 100)
        users = 0; //~ unreachable
    return 0;
}
