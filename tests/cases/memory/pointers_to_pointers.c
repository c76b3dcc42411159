//@ about: values reached through two pointers, pointers swapped by input
//@ input: stdin =9
//@ args: --strategy dfs
//@ end: exhausted
#include <unistd.h>

static void swap(int **p, int **q) {
    int *t = *p;
    *p = *q;
    *q = t;
}

int main(void) {
    unsigned char order;
    int v[2];
    if (read(0, &order, 1) != 1 || read(0, v, 8) != 8) return 9;
    int *first = &v[0], *second = &v[1];
    if (order > 127) swap(&first, &second);            //~ side: both
    if (*first == 1000 && *second == 2000) return 1;   //~ side: both
    *first = *second + 1;
    if (order == 200 && v[0] != 2147483647 && v[0] >= v[1]) return 2; //~ side: both both false
    return 0;
}
