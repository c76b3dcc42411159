//@ about: what is tried from a snapshot changes neither the files of the run nor its positions in them
//@ input: calls
//@ may-lose: path
//@ args: --strategy hybrid --saturation 6 --max-inputs 3
//@ iterations: <= 300
//@ may-lose: call:lseek
//@ may-lose: call:pread
#include <fcntl.h>
#include <stdlib.h>
#include <symcrete.h>
#include <unistd.h>

/* Whether the file holds just what was written so far, and the position is its end. */
__attribute__((noinline, no_profile_instrument_function)) static int as_written(int fd, const int *written, int n) {
    int found[64];
    long bytes = n * (long)sizeof *written;
    if (lseek(fd, 0, SEEK_CUR) != bytes || lseek(fd, 0, SEEK_END) != bytes) return 0;
    if (pread(fd, found, sizeof found, 0) != bytes) return 0;
    for (int i = 0; i < n; i++)
        if (found[i] != written[i]) return 0;
    return 1;
}

int main(void) {
    int fd = open("log", O_RDWR | O_CREAT, 0644), written[64], n = 0;
    if (fd < 0) return 9;
    while (n < 60) {
        symcrete_int("key");
        written[n] = 7 * n;
        if (write(fd, &written[n], sizeof *written) != sizeof *written) return 8;
        n++;
        if (!as_written(fd, written, n)) abort();
    }
    return 0;
}
