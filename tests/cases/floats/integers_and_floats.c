//@ about: conversions between integers and floats, both ways
//@ input: stdin =4
//@ args: --strategy dfs
//@ end: exhausted
#include <unistd.h>

int main(void) {
    int x;
    if (read(0, &x, 4) != 4) return 9;
    double half = x / 2.0;
    float f = (float)x;
    if ((int)half == 500 && x != 1000) return 1;
    if (x >= 0 && (unsigned)(half + 1) == 8) return 2;
    if (f > 1e9f) return 3;
    return 0; //~ reach
}
