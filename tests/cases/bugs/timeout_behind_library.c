//@ about: what does not end is placed at the last decision of the program itself, not of a library function's model
//@ input: stdin =4
//@ args: --strategy dfs --timeout 500ms
//@ iterations: <= 40
#include <stdio.h>

int main(void) {
    char line[8];
    if (getchar() == 'x') { //~ side: both   crash: timeout
        char *read = fgets(line, sizeof line, stdin);
        (void)read;
        for (;;) {}
    }
    return 0;
}
