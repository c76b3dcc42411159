//@ about: arguments and results of direct calls, also through many parameters (some on the stack)
//@ input: stdin =10
//@ args: --strategy dfs
//@ end: exhausted
#include <unistd.h>

__attribute__((noinline)) static long many(long a, long b, long c, long d, long e, long f, long g, long h, char i, short j) {
    return a - b + c - d + e - f + g - h + i * 1000 + j;
}

__attribute__((noinline)) static unsigned char low(unsigned x) { return (unsigned char)x; }

int main(void) {
    signed char b[10];
    if (read(0, b, 10) != 10) return 9;
    long r = many(b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7], b[8], b[9]);
    if (r == -127135) return 1;                   //~ side: both
    if (low((unsigned)b[8] * 256 + 3) != 3) return 2; //~ side: false
    return 0;
}
