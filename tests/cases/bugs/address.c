//@ about: a heap overflow that harms nobody natively, found by AddressSanitizer
//@ input: stdin =3
//@ args: --strategy dfs --check address
//@ iterations: <= 50
#include <stdlib.h>
#include <unistd.h>

int main(void) {
    unsigned char b[3];
    if (read(0, b, 3) != 3) return 9;
    volatile char *p = malloc(10);
    if (b[0] == 'o') p[b[1] > 100 ? 10 : 9] = 1; //~ side: both   crash: address
    free((void *)p);
    return 0;
}
