//@ about: runs that end early: what they did before is seen, however they end
//@ input: function ends
#include <signal.h>
#include <stdlib.h>
#include <symcrete.h>

static volatile int zero, log_;

static void die(int why) {
    log_ = why; //~ reach
    abort();    //~ reach
}

static void check(int holds) {
    if (!holds)
        die(1); //~ reach
}

static void leave(int code) {
    log_ = code; //~ reach
    if (code == 3)
        exit(code); //~ reach
    die(code);      //~ reach
}

static int divide(int by) {
    int one = log_ + 1;       //~ reach
    int result = one / by;    //~ reach
    log_ = result;            //~ unknown: missed (a volatile 0 is any value)
    return result + 1;
}

static void never(void) {
    log_ = 9; //~ unreachable
    abort();  //~ unreachable
}

static void write_to(volatile int *where) {
    *where = 1; //~ reach
    log_ = 4;   //~ unknown: missed (writing there ends the run)
}

void ends(int x, unsigned char y) {
    check(x != 77);
    if (y == 200)
        leave(x);
    if (x == 77)
        never();
    if (y == 201)
        log_ = divide(zero);
    if (y == 202)
        write_to((volatile int *)8);
    if (y == 203) {
        die(5);
        log_ = 6;
    }
}
