//@ about: memory from malloc, calloc and realloc; freed blocks forget what they held
//@ input: stdin =4
//@ args: --strategy dfs
//@ end: exhausted
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(void) {
    char *p = malloc(4);
    if (!p || read(0, p, 4) != 4) return 9;   //~ side: false
    p = realloc(p, 4000);
    if (memcmp(p, "heap", 4) == 0) return 1;  //~ side: both
    char first = p[0];
    free(p);
    char *clean = calloc(1, 4000);
    if (clean[0] == 'h') return 2;            //~ side: false
    if (first == 'h') return 3;               //~ side: both
    return 0;
}
