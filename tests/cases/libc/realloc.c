//@ about: a buffer that grows by realloc while input is read keeps its content
//@ input: stdin 5
//@ args: --strategy dfs
//@ iterations: <= 300
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(void) {
    char *text = NULL, c;
    size_t n = 0;
    while (read(0, &c, 1) == 1) { //~ side: both
        text = realloc(text, n + 1);
        text[n++] = c;
    }
    if (n == 5 && memcmp(text, "grown", 5) == 0) return 1; //~ side: both
    return 0;
}
