//@ about: a program that kills its whole process group harms only its own run
//@ input: stdin =1
//@ args: --strategy dfs
//@ iterations: <= 30
#include <signal.h>
#include <unistd.h>

int main(void) {
    unsigned char c;
    if (read(0, &c, 1) != 1) return 9;
    if (c == 'k') kill(0, SIGTERM); //~ side: both   crash: crash
    if (c == 'l') return 1;         //~ side: both
    return 0;
}
