//@ about: a program that closes every descriptor is followed to its end all the same
//@ input: stdin =3
//@ args: --strategy dfs
//@ iterations: <= 30
//@ end: exhausted
#include <unistd.h>

int main(void) {
    unsigned char b[3];
    if (read(0, b, 3) != 3) return 9;
    if (b[0] == 'c') //~ side: both
        for (int fd = 0; fd < 2000; fd++) close(fd);
    if (b[1] == 33 && b[0] == 'c') return 1; //~ side: both
    return 0;
}
