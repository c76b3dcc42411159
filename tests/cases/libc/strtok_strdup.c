//@ about: strdup, strtok and strsep-like splitting
//@ input: stdin =5
//@ args: --strategy bfs
//@ iterations: <= 1500
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(void) {
    char b[6] = {0};
    if (read(0, b, 5) != 5) return 9;
    char *copy = strdup(b);
    b[0] = 0;
    char *first = strtok(copy, ",");
    char *second = first ? strtok(NULL, ",") : NULL; //~ side: both
    if (second && second[0] == 'q') return 1;         //~ side: both
    free(copy);
    return 0;
}
