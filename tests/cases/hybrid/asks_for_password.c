//@ about: a program that turns to the terminal has none: it is not waited for, and the walk goes on
//@ input: stdin 300
//@ args: --strategy hybrid --saturation 8 --until coverage=80%
//@ iterations: <= 2000
//@ end: goal
//@ may-lose: call:getpass
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

int main(void) {
    int c, quits = 0;
    while ((c = getchar()) != EOF) {                   //~ side: both
        if (c == 'p' && getpass("word: ")) return 3;
        if (c == 't' && open("/dev/tty", O_RDWR) >= 0) return 4;
        if (c == 'q' && ++quits == 2) return 1;        //~ side: both
    }
    return 0;
}
