//@ about: three at work side by side: what one finds deep inside the others go on from, and only inputs that were made are counted
//@ input: calls
//@ args: --strategy hybrid --jobs 3 --until coverage=100%
//@ iterations: <= 9000
//@ end: goal
//@ allow: nondeterministic
#include <symcrete.h>

int main(void) {
    int state = 0, other = 0;
    for (;;) {
        char c = symcrete_char("c");
        int key = symcrete_int("key");
        if (state < 6 && c == "[({~ax"[state]) state++;          //~ side: both
        if (state == 6 && key == 123456) other = 1;               //~ side: both
        if (other && key == -77) symcrete_target(1);              //~ side: both
    }
}
