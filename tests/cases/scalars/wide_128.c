//@ about: arithmetic on 128-bit integers: product of two 64-bit numbers, carry, shift, comparison
//@ input: stdin =16
//@ args: --strategy dfs
#include <stdint.h>
#include <unistd.h>

int main(void) {
    uint64_t v[2];
    if (read(0, v, 16) != 16) return 9;
    unsigned __int128 sum = (unsigned __int128)v[0] + v[1];
    if (sum >> 64 && (uint64_t)sum == 41) return 1;  //~ side: both
    unsigned __int128 shifted = (unsigned __int128)v[0] << 70;
    if ((uint64_t)(shifted >> 64) == 0xffc0) return 2; //~ side: both
    __int128 s = (__int128)(int64_t)v[0] * 3;
    if (s < -((__int128)1 << 64)) return 3;          //~ side: both
    if (sum >> 65) return 4;                         //~ side: false
    return 0;
}
