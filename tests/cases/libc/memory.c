//@ about: memcmp, memchr, memcpy, memset, bcmp and memmem-like searching of input
//@ input: stdin =6
//@ args: --strategy dfs
//@ iterations: <= 300
#include <string.h>
#include <unistd.h>

int main(void) {
    unsigned char b[6], c[6];
    if (read(0, b, 6) != 6) return 9;
    memcpy(c, b, 6);
    memset(c + 2, 0x55, 2);
    if (memcmp(c, "ab\x55\x55yz", 6) == 0) return 1;   //~ side: both
    unsigned char *at = memchr(b, 0x80, 6);
    if (at && at - b == 5) return 2;                   //~ side: both
    if (memcmp(b, "ab", 2) > 0 && b[0] == 'a') return 3; //~ side: both
    return 0;
}
