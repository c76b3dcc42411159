//@ about: almost every input loops for ever; each such run is limited, reported once, and the search goes on
//@ input: stdin =1
//@ args: --strategy dfs --timeout 200ms
//@ iterations: <= 10
#include <unistd.h>

int main(void) {
    unsigned char c;
    if (read(0, &c, 1) != 1) return 9;
    volatile unsigned turns = 0;
    while (c != 'q') //~ side: both   crash: timeout
        turns++;
    return 1; //~ reach
}
