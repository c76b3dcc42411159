//@ about: each read sees the table as it was at that moment, also when the next store is right behind it
//@ input: stdin =2
//@ args: --strategy dfs
//@ iterations: <= 12
//@ end: exhausted
#include <unistd.h>

static int t[16];

__attribute__((noinline)) static int swap(int *v, unsigned i, unsigned j) {
    int a = v[i], b = v[j];
    v[i] = b;
    v[j] = a;
    return a;
}

int main(void) {
    unsigned char b[2];
    for (int i = 0; i < 16; i++) t[i] = i * i;
    if (read(0, b, 2) != 2) return 9;
    unsigned i = b[0] & 15, j = b[1] & 15;
    int before = t[i];
    t[3] = 1000;
    int after = t[i];
    if (before != after && after != 1000) return 1;       //~ side: both false
    if (before == 9 && after == 1000) return 2;           //~ side: both true
    swap(t, i, j);
    if (t[i] == 49 && t[j] == 121) return 3;              //~ side: both
    if (t[7] != 49 && i != 7 && j != 7) return 4;         //~ side: both both false
    return 0;
}
