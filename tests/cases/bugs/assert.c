//@ about: a failed assertion is reported as such, at its line
//@ input: stdin =4
//@ args: --strategy dfs
//@ end: exhausted
#include <assert.h>
#include <unistd.h>

int main(void) {
    unsigned x;
    if (read(0, &x, 4) != 4) return 9;
    assert(x % 1000003 != 17); //~ crash: assert
    return 0;                  //~ reach
}
