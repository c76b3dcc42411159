//@ about: an environment variable
//@ input: env COLOR:4
//@ args: --strategy dfs
//@ iterations: <= 200
#include <stdlib.h>
#include <string.h>

int main(void) {
    const char *color = getenv("COLOR");
    if (!color) return 9;
    if (*color == 0) return 1;                //~ side: both
    if (strcmp(color, "on") == 0) return 2;   //~ side: both
    if (strcmp(color, "auto") == 0) return 3; //~ side: both
    return 0;
}
