//@ about: what waits in a pipe of the program's own belongs to each run from a snapshot by itself
//@ input: stdin =24
//@ args: --strategy hybrid --saturation 4 --max-inputs 4
//@ iterations: <= 300
//@ may-lose: call:pipe
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(void) {
    int ends[2], c, sent = 0;
    char back[64];
    if (pipe(ends)) return 9;
    while ((c = getchar()) != EOF) {
        char byte = (char)(7 * sent);
        if (write(ends[1], &byte, 1) != 1) return 8;
        if (++sent % 5) continue;
        if (read(ends[0], back, sizeof back) != 5) abort();
        for (int i = 0; i < 5; i++)
            if (back[i] != (char)(7 * (sent - 5 + i))) abort();
    }
    return 0;
}
