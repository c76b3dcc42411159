//@ about: a program that writes without end, to a stream or to a file, is limited
//@ input: stdin =1
//@ args: --strategy dfs --timeout 3s
//@ iterations: <= 10
//@ lost: replay:output limit
#include <stdio.h>
#include <unistd.h>

static char block[1 << 16];

int main(void) {
    unsigned char c;
    if (read(0, &c, 1) != 1) return 9;
    while (c == 'o') if (write(1, block, sizeof block) < 0) return 1; //~ crash: timeout
    if (c == 'f') { //~ side: both
        FILE *f = fopen("large", "w");
        while (fwrite(block, 1, sizeof block, f) == sizeof block)
            ;
        return 2;
    }
    return 0; //~ reach
}
