//@ about: bit-fields that cross byte borders, signed and unsigned
//@ input: stdin =4
//@ args: --strategy dfs
//@ end: exhausted
#include <string.h>
#include <unistd.h>

struct fields {
    unsigned low : 3;
    int middle : 11;
    unsigned flag : 1;
    unsigned high : 17;
};

int main(void) {
    struct fields f;
    if (read(0, &f, 4) != 4) return 9;
    if (f.low == 5 && f.middle == -700) return 1;   //~ side: both
    if (f.high == 0x1abcd && f.flag) return 2;      //~ side: both
    f.middle = f.high;
    if (f.middle == 77 && f.high > 100000) return 3; //~ side: both
    if (f.low > 7) return 4;                        //~ side: false
    return 0;
}
