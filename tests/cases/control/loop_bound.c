//@ about: a loop whose number of turns is input
//@ input: stdin =1
//@ args: --strategy dfs
//@ iterations: <= 40
//@ end: exhausted
#include <unistd.h>

int main(void) {
    unsigned char n = 0;
    if (read(0, &n, 1) != 1) return 9;
    n &= 15;
    int sum = 0;
    for (int i = 0; i < n; i++) //~ side: both
        sum += i;
    if (sum == 45) return 1; //~ side: both   (ten turns)
    if (sum == 46) return 2; //~ side: false
    return 0;
}
