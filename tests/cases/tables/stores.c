//@ about: counts by an input-dependent index: every entry may have been hit
//@ input: stdin =2
//@ args: --strategy dfs
//@ iterations: <= 10
//@ end: exhausted
#include <unistd.h>

int main(void) {
    unsigned char b[2];
    int count[32] = {0};
    if (read(0, b, 2) != 2) return 9;
    count[b[0] & 31]++;
    count[b[1] >> 3]++;
    if (count[9] == 2) return 1;                //~ side: both
    if (count[10] == 1 && count[11] == 1) return 2; //~ side: both
    if (count[b[0] & 31] == 0) return 3;        //~ side: false
    if (count[12] > 1) return 4;                //~ side: both
    return 0;
}
