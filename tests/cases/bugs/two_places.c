//@ about: two bugs of one kind at two lines are two bugs, each reported once
//@ input: stdin =3
//@ args: --strategy dfs
//@ end: exhausted
#include <stdlib.h>
#include <unistd.h>

int main(void) {
    char b[3];
    if (read(0, b, 3) != 3) return 9;
    if (b[0] == 'a') {            //~ side: both
        if (b[1] == 'x') abort(); //~ side: both   crash: abort
        if (b[2] == 'y') abort(); //~ side: both   crash: abort
    }
    return 0;
}
