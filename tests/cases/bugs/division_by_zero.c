//@ about: an integer division by zero kills the program
//@ input: stdin =4
//@ args: --strategy dfs
//@ may-lose: path
#include <unistd.h>

int main(void) {
    int x;
    if (read(0, &x, 4) != 4) return 9;
    volatile int zero = 0;
    if (x % 7 == 3 && x > 5000) //~ side: both
        return 1000 / zero;     //~ crash: crash
    return 0;
}
