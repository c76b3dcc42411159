//@ about: qsort of 16-bit records keeps each record together
//@ input: stdin =6
//@ args: --strategy dfs
//@ iterations: <= 200
#include <stdlib.h>
#include <unistd.h>

struct record { unsigned char key, value; };

static int by_key(const void *a, const void *b) {
    return ((const struct record *)a)->key - ((const struct record *)b)->key;
}

int main(void) {
    struct record r[3];
    if (read(0, r, 6) != 6) return 9;
    qsort(r, 3, 2, by_key);
    if (r[0].key > r[1].key || r[1].key > r[2].key) return 1; //~ side: false
    if (r[1].key == 50 && r[1].value == 'm') return 2;        //~ side: both
    return 0;
}
