//@ about: standard input, an argument and a file in one run
//@ input: stdin 2
//@ input: arg 2
//@ input: file f:2
//@ args: --strategy dfs
//@ iterations: <= 400
#include <fcntl.h>
#include <unistd.h>

int main(int argc, char **argv) {
    char a = 0, b = 0;
    if (argc < 2) return 9;                              //~ side: false
    int fd = open("f", O_RDONLY);
    if (read(0, &a, 1) != 1) return 1;                   //~ side: both
    if (read(fd, &b, 1) != 1) return 2;                  //~ side: both
    if (a == argv[1][0] && b == a && a == 'Z') return 3; //~ side: both
    return 0;
}
