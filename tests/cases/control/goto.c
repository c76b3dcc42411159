//@ about: jumps into and out of loops
//@ input: stdin =3
//@ args: --strategy dfs
//@ end: exhausted
#include <unistd.h>

int main(void) {
    unsigned char b[3];
    int i = 0, state = 0;
    if (read(0, b, 3) != 3) return 9;
again:
    if (i == 3) goto done;                           //~ side: both
    if (b[i] == "key"[i]) {                          //~ side: both
        state++;
        goto next;
    }
    goto failed;
next:
    i++;
    goto again;
failed:
    return 10 + state; //~ reach
done:
    return 1; //~ reach
}
