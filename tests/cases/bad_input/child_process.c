//@ about: a forked child goes its own way and is not part of the path; its parent waits for it
//@ input: stdin =3
//@ args: --strategy dfs
//@ iterations: <= 30
#include <sys/wait.h>
#include <unistd.h>

/* Counts of coverage do not add up over a fork: it stays out of them. */
__attribute__((noinline, no_profile_instrument_function)) static int asked_of_child(unsigned char c) {
    int status = 0, child = fork();
    if (child == 0) _exit(c > 99 ? 3 : 4);
    waitpid(child, &status, 0);
    return WEXITSTATUS(status);
}

int main(void) {
    unsigned char b[3];
    if (read(0, b, 3) != 3) return 9;
    if (b[0] == 'f') { //~ side: both
        int answer = asked_of_child(b[1]);
        if (answer == 3 && b[1] < 50) return 1;
    }
    if (b[2] == 7) return 2; //~ side: both
    return 0;
}
