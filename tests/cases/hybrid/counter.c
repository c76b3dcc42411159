//@ about: states that differ in a counter only: no branch tells them apart until it is full
//@ input: calls
//@ args: --strategy hybrid --until coverage=100%
//@ iterations: <= 8000
//@ end: goal
#include <symcrete.h>

static struct { int open, good, strikes; } session;

int main(void) {
    for (;;) {
        unsigned char command = symcrete_uchar("command");
        int argument = symcrete_int("argument");
        if (session.open && command == 'S' && argument == session.good * 3 + 1000) { //~ side: both
            session.open = 0;
            if (++session.good == 3)                                                  //~ side: both
                symcrete_target(1);
        } else if (!session.open && command == 'O') {                                 //~ side: both
            session.open = 1;
        } else if (++session.strikes == 2) {                                          //~ side: both
            session.open = session.good = session.strikes = 0;
        }
    }
}
