//@ about: a program with a process of its own that has not ended is not copied, and that is said
//@ input: stdin =40
//@ args: --strategy hybrid --saturation 4
//@ iterations: <= 30
//@ may-lose: snapshot:process
//@ may-lose: call:pause
#include <stdio.h>
#include <unistd.h>

__attribute__((noinline, no_profile_instrument_function)) static void leave_one(void) {
    if (fork() == 0) {
        pause();
        _exit(0);
    }
}

int main(void) {
    int c;
    leave_one();
    while ((c = getchar()) != EOF)
        if (c == 'q') return 1;
    return 0;
}
