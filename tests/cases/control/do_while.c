//@ about: a loop with break and continue over bytes of input
//@ input: stdin 3
//@ args: --strategy dfs
//@ end: exhausted
#include <unistd.h>

int main(void) {
    char c;
    int seen = 0;
    do {
        if (read(0, &c, 1) != 1) break; //~ side: both
        if (c == ' ') continue;         //~ side: both
        seen++;
    } while (c != '.');                 //~ side: both
    return seen;
}
