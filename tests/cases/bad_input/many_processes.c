//@ about: a program that forks until it is stopped (here at 400 at the latest) is limited and leaves nothing behind
//@ input: stdin =1
//@ args: --strategy dfs --timeout 1s
//@ iterations: <= 10
//@ may-lose: replay:process limit
#include <unistd.h>

/* Counts of coverage do not add up over a fork: it stays out of them. */
__attribute__((noinline, no_profile_instrument_function)) static void breed(void) {
    for (int i = 0; i < 400; i++)
        if (fork() == 0) {
            pause();
            _exit(0);
        }
}

int main(void) {
    unsigned char c;
    if (read(0, &c, 1) != 1) return 9;
    if (c == 'f') { //~ side: both
        breed();
        return 1;
    }
    return 0; //~ reach
}
