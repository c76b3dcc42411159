//@ about: overlapping memmove in both directions keeps the right bytes
//@ input: stdin =8
//@ args: --strategy dfs
//@ end: exhausted
#include <string.h>
#include <unistd.h>

int main(void) {
    char b[12] = {0};
    if (read(0, b, 8) != 8) return 9;
    memmove(b + 3, b, 8);
    memmove(b, b + 1, 9);
    if (memcmp(b + 2, "overlaps", 7) == 0) return 1; //~ side: both
    if (b[0] == b[4] && b[0] == 'k') return 2;       //~ side: both
    return 0;
}
