//@ about: memcpy and memset of an input-dependent length
//@ input: stdin =6
//@ args: --strategy dfs
//@ iterations: <= 400
//@ lost: length:llvm.memcpy.p0.p0.i64
#include <string.h>
#include <unistd.h>

int main(void) {
    unsigned char b[6], a[8] = {0};
    if (read(0, b, 6) != 6) return 9;
    if (b[0] > 4) return 1;              //~ side: both
    memcpy(a, b + 1, b[0]);
    if (a[2] == 'z') return 2;           //~ side: both
    if (a[3] && b[0] < 4) return 3;      //~ side: both false
    return 0;
}
