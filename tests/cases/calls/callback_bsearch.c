//@ about: bsearch over a constant table with an input-dependent key
//@ input: stdin =4
//@ args: --strategy dfs
//@ end: exhausted
#include <stdlib.h>
#include <unistd.h>

static const int primes[] = {2, 3, 5, 7, 11, 13, 10007};

static int compare(const void *key, const void *element) {
    int k = *(const int *)key, e = *(const int *)element;
    return k < e ? -1 : k > e; //~ side: both
}

int main(void) {
    int key;
    if (read(0, &key, 4) != 4) return 9;
    const int *found = bsearch(&key, primes, 7, sizeof *primes, compare);
    if (!found) return 1;           //~ side: both
    if (*found == 10007) return 2;  //~ side: both
    if (*found == 4) return 3;      //~ side: false
    return 0;
}
