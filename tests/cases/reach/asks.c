//@ about: inputs on request, assumptions, and an end in the middle
//@ input: calls
#include <stdlib.h>
#include <symcrete.h>

int main(void) {
    int x = symcrete_int("x");
    symcrete_assume(x > 10);
    if (x == 10)
        symcrete_target(1); //~ unreachable
    if (x > 1000)
        exit(0); //~ reach
    unsigned char bytes[4];
    symcrete_bytes(bytes, sizeof bytes, "bytes");
    if (x > 1000)
        symcrete_target(2); //~ unreachable
    if (bytes[0] == 'a' && bytes[3] == 'd' && bytes[1] == bytes[2])
        symcrete_target(3); //~ reach
    if (bytes[0] + bytes[1] > 510)
        symcrete_target(4); //~ unreachable
    if (bytes[0] + bytes[1] == 510)
        abort(); //~ reach
    return 0;
}
