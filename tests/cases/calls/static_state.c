//@ about: global and static variables start fresh in every run
//@ input: stdin =3
//@ args: --strategy dfs
//@ end: exhausted
#include <unistd.h>

static int total = 5;
static int count(int n) {
    static int calls;
    total += n;
    return ++calls;
}

int main(void) {
    unsigned char b[3];
    if (read(0, b, 3) != 3) return 9;
    if (count(b[0]) != 1) return 1;      //~ side: false
    if (b[1] == 3 && count(b[1]) != 2) return 2; //~ side: both false
    if (total == 18) return 3;           //~ side: both
    return 0;
}
