//@ about: a program that takes all the memory it can get is limited
//@ input: stdin =3
//@ args: --strategy dfs --max-memory 200m
//@ iterations: <= 30
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(void) {
    unsigned char c[3];
    if (read(0, c, 3) != 3) return 9;
    if (c[0] == 'm') { //~ side: both
        for (int i = 0; i < 4000; i++) {
            char *p = malloc(1 << 20);
            if (!p) return 1;
            memset(p, 1, 1 << 20);
        }
        return 2;
    }
    return 0; //~ reach
}
