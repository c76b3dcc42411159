//@ about: signals that the program sends itself: fatal ones are crashes, handled ones are not
//@ input: stdin =3
//@ args: --strategy dfs
//@ iterations: <= 50
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

static volatile int handled;
static void on_signal(int number) { handled = number; }

int main(void) {
    char b[3];
    if (read(0, b, 3) != 3) return 9;
    signal(SIGUSR1, on_signal);
    if (b[0] == 'u') { //~ side: both
        raise(SIGUSR1);
        if (handled == SIGUSR1 && b[1] == '!') return 1; //~ side: true both
        return 2;
    }
    if (b[0] == 'i') raise(SIGILL); //~ side: both   crash: crash
    return 0;
}
