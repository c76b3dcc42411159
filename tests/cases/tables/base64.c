//@ about: a base64 decoder with a reverse table
//@ input: stdin =8
//@ args: --strategy dfs
//@ iterations: <= 40
#include <string.h>
#include <unistd.h>

static signed char value[256];

int main(void) {
    static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    unsigned char b[8], out[6];
    memset(value, -1, sizeof value);
    for (int i = 0; i < 64; i++) value[(unsigned char)alphabet[i]] = i;
    if (read(0, b, 8) != 8) return 9;
    for (int i = 0; i < 8; i += 4) {
        int v = 0;
        for (int j = 0; j < 4; j++) {
            if (value[b[i + j]] < 0) return 8;  //~ side: both
            v = v << 6 | value[b[i + j]];
        }
        out[i / 4 * 3] = v >> 16;
        out[i / 4 * 3 + 1] = v >> 8;
        out[i / 4 * 3 + 2] = v;
    }
    if (memcmp(out, "magic!", 6) == 0) return 1; //~ side: both
    return 0;
}
