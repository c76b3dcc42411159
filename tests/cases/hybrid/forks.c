//@ about: a process that the program forks asks on, and is no snapshot of ours
//@ input: calls
//@ may-lose: path
//@ args: --strategy hybrid --saturation 8
//@ iterations: <= 600
#include <symcrete.h>
#include <sys/wait.h>
#include <unistd.h>

/* Counts of coverage do not add up over a fork: it stays out of them. */
__attribute__((noinline, no_profile_instrument_function)) static void with_child(void) {
    int status, child = fork();
    if (child == 0) {
        for (int i = 0; i < 20; i++) symcrete_int("in the child");
        _exit(0);
    }
    waitpid(child, &status, 0);
}

int main(void) {
    int forks = 0;
    for (;;) {
        unsigned char c = symcrete_uchar("c");
        if (c == 'f' && forks < 2) { //~ side: both
            forks++;
            with_child();
        }
        if (c == 7) return 1; //~ side: both
    }
}
