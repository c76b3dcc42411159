//@ about: a counter that only whole orders bring on, each of five turns that fit together: no side shows the way
//@ input: calls
//@ args: --strategy hybrid --until targets
//@ iterations: <= 5000
//@ end: goal
#include <symcrete.h>

enum { WAITING, CHOSEN, PAYING, PAID };

static struct { int state, price, paid, code, orders, mistakes; } shop;

static int step(unsigned char command, int argument) {
    switch (shop.state) {
    case WAITING:
        if (command != 'c' || argument < 20 || argument > 60) return 0;
        shop.price = argument;
        shop.code = argument * 7 + 3;
        shop.paid = 0;
        shop.state = CHOSEN;
        return 1;
    case CHOSEN:
        if (command != 'p') return 0;
        shop.state = PAYING;
        return 1;
    case PAYING:
        if (command != '$' || (argument != 10 && argument != 20)) return 0;
        shop.paid += argument;
        if (shop.paid >= shop.price) shop.state = PAID;
        return 1;
    default:
        if (command != 't' || argument != shop.code) return 0;
        if (shop.paid == shop.price && ++shop.orders == 9)
            symcrete_target(1);
        shop.state = WAITING;
        return 1;
    }
}

int main(void) {
    for (;;) {
        unsigned char command = symcrete_uchar("command");
        int argument = symcrete_int("argument");
        if (!step(command, argument) && ++shop.mistakes == 2)
            shop.state = shop.orders = shop.mistakes = 0;
    }
}
