//@ about: a program that suspends itself, as an editor does: no shell would continue it, so it is not stopped
//@ input: calls
//@ args: --strategy hybrid --until coverage=100%
//@ iterations: <= 1000
//@ end: goal
#include <signal.h>
#include <symcrete.h>
#include <unistd.h>

int main(void) {
    for (int asked = 0, back = 0; asked < 40; asked++) {                   //~ side: both
        unsigned char key = symcrete_uchar("key");
        if (key == 26) {                                                   //~ side: both
            kill(0, SIGTSTP);
            back = 1;
        } else if (back && key == 'q') {                                   //~ side: both
            return 1;
        }
    }
    return 0;
}
