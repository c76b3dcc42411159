//@ about: a dense switch, which becomes a jump table or a lookup table
//@ input: stdin =1
//@ args: --strategy dfs
//@ end: exhausted
#include <unistd.h>

static int days(unsigned char month) {
    switch (month) {
    case 1: case 3: case 5: case 7: case 8: case 10: case 12: return 31; //~ case: 7
    case 4: case 6: case 9: case 11: return 30;                          //~ case: 4
    case 2: return 28;                                                   //~ case: 1
    default: return 0;                                                   //~ case: 1
    }
}

int main(void) {
    unsigned char m = 0;
    if (read(0, &m, 1) != 1) return 9;
    return days(m);
}
