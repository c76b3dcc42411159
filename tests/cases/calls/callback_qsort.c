//@ about: the comparison given to qsort sees input; afterwards the array is sorted
//@ input: stdin =3
//@ args: --strategy dfs
//@ end: exhausted
#include <stdlib.h>
#include <unistd.h>

static int compare(const void *a, const void *b) {
    unsigned char x = *(const unsigned char *)a, y = *(const unsigned char *)b;
    if (x < y) return -1; //~ side: both
    return x > y;
}

int main(void) {
    unsigned char v[3];
    if (read(0, v, 3) != 3) return 9;
    qsort(v, 3, 1, compare);
    if (v[1] == 100 && v[2] == 101) return 1; //~ side: both
    if (v[0] > v[2]) return 2;                //~ side: false
    return 0;
}
