//@ about: a file opened and read without stdio, with seeking
//@ input: file data:4
//@ args: --strategy dfs
//@ iterations: <= 200
#include <fcntl.h>
#include <unistd.h>

int main(void) {
    int fd = open("data", O_RDONLY);
    if (fd < 0) return 9;                     //~ side: false
    char b[4] = {0};
    if (read(fd, b, 4) != 4) return 1;        //~ side: both
    if (b[0] != 'M' || b[1] != 'Z') return 2; //~ side: both
    lseek(fd, 2, SEEK_SET);
    char c[2];
    if (read(fd, c, 2) == 2 && c[0] == '!' && b[2] != '!') return 3; //~ side: true both false
    close(fd);
    return 0;
}
