//@ about: a decision on what an uninstrumented function made of the input is uncovered because of that loss
//@ input: stdin =3
//@ args: --strategy dfs
//@ end: nothing-left
//@ lost: call:a64l
#include <stdlib.h>
#include <unistd.h>

int main(void) {
    char b[4] = {0};
    if (read(0, b, 3) != 3) return 9;
    if (a64l(b) == 200001) return 2; //~ side: false uncovered: lost
    if (b[1] == 'y') return 1;   //~ side: both
    return 0;
}
