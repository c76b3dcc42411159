//@ about: library functions called through pointers the program keeps are followed like direct calls; the pointers stay what they are
//@ input: stdin =6
//@ args: --strategy dfs
//@ iterations: <= 200
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct memory {
    void *(*get)(size_t);
    void *(*grow)(void *, size_t);
    void (*put)(void *);
    int (*order)(const char *, const char *);
};

static volatile struct memory functions = {malloc, realloc, free, strcmp};

int main(void) {
    char *b = functions.get(4);
    if (read(0, b, 3) != 3) return 9;
    b[3] = 0;
    if (b[0] == 'x') return 1;                        //~ side: both
    b = functions.grow(b, 4000);
    if (functions.order(b, "key") == 0) return 2;     //~ side: both
    functions.put(b);
    /* Memory with a new life: nothing of the old input is in it. */
    char *c = functions.get(4000);
    memset(c, 0, 4000);
    if (read(0, c, 3) != 3) return 9;
    if (strcmp(c, "end") == 0) return 3;              //~ side: both
    return functions.put == free ? 0 : 4;
}
