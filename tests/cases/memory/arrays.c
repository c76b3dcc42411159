//@ about: arrays on the stack, copied and summed; every element keeps its own bytes
//@ input: stdin =12
//@ args: --strategy dfs
//@ end: exhausted
#include <unistd.h>

int main(void) {
    short v[6], w[6];
    if (read(0, v, sizeof v) != sizeof v) return 9;
    for (int i = 0; i < 6; i++) w[5 - i] = v[i];
    if (w[0] == 600 && w[5] == 100) return 1;  //~ side: both
    int sum = 0;
    for (int i = 0; i < 6; i++) sum += w[i];
    if (sum == 60000) return 2;                //~ side: both
    if (sum > 6 * 32767) return 3;             //~ side: false
    return 0;
}
