//@ about: atoi, strtol with bases and end pointer, strtoul
//@ input: stdin =6
//@ iterations: <= 3000
#include <stdlib.h>
#include <unistd.h>

int main(void) {
    char b[7] = {0}, *end;
    if (read(0, b, 6) != 6) return 9;
    if (b[0] == 'd') return atoi(b + 1) == 4711;        //~ side: both
    if (b[0] == 'x') {                                  //~ side: both
        unsigned long v = strtoul(b + 1, &end, 16);
        if (v == 0xbeef && *end == 0) return 2;         //~ side: both
        return 3;
    }
    if (b[0] == 'o') {                                  //~ side: both
        long v = strtol(b + 1, &end, 8);
        if (v == -8 && end - b == 4) return 4;          //~ side: both
        return 5;
    }
    return 0;
}
