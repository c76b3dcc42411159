//@ about: getline allocates what it needs; lines end at the newline
//@ input: stdin 5
//@ args: --strategy dfs
//@ iterations: <= 500
#include <stdio.h>
#include <stdlib.h>

int main(void) {
    char *line = NULL;
    size_t room = 0;
    long n = getline(&line, &room, stdin);
    if (n < 0) return 1;                                //~ side: both
    if (n == 3 && line[2] == '\n') {                    //~ side: both
        long m = getline(&line, &room, stdin);
        if (m == 2 && line[0] == 'q') return 2;         //~ side: both
        return 3;
    }
    return 0;
}
