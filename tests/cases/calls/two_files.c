//@ about: a program of two files; sides of both are covered
//@ input: stdin =4
//@ sources: two_files_other.c
//@ args: --strategy dfs
//@ end: exhausted
#include <unistd.h>

int classify(int x);
extern int calls_made;

int main(void) {
    int x;
    if (read(0, &x, 4) != 4) return 9;
    int k = classify(x);
    if (k == 3 && calls_made == 1) return 1; //~ side: both true
    return 0;
}
