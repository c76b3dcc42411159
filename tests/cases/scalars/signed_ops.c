//@ about: signed comparison, arithmetic shift, sign extension and negation
//@ input: stdin =4
//@ args: --strategy dfs
//@ end: exhausted
#include <stdint.h>
#include <unistd.h>

int main(void) {
    int32_t x;
    if (read(0, &x, 4) != 4) return 9;
    if (x == INT32_MIN) return 1;             //~ side: both
    if (x < 0 && -x == 123456) return 2;      //~ side: both
    if (x >> 28 == -7) return 3;              //~ side: both
    if ((int64_t)(int16_t)x == -2 && x > 0) return 4; //~ side: both
    if (x > 10 && (uint32_t)x < 10) return 5; //~ side: both false
    return 0;
}
