//@ about: where the program goes on reading, a number of the file says: the place is one value at a time, and others are tried
//@ input: file in.bin:16
//@ args: --strategy dfs
//@ iterations: <= 1000
//@ lost: address
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

int main(void) {
    uint8_t head[2], next = 0;
    FILE *f = fopen("in.bin", "rb");
    if (!f || fread(head, 2, 1, f) != 1) return 1; //~ side: false both
    if (head[0] != 'x') return 2; //~ side: both
    fseek(f, head[1], SEEK_SET);
    if (fgetc(f) != 'A') return 3; //~ side: both
    if (head[1] == 9) return 4; //~ side: both
    int fd = fileno(f);
    if (pread(fd, &next, 1, head[1] + 2) == 1 && next == 'B') return 5; //~ side: both both
    if (fseek(f, -1, SEEK_END) == 0 && fgetc(f) == 'C') return 6; //~ side: true both
    return 0;
}
