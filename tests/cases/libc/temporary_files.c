//@ about: a program may write to /tmp and /var/tmp: they are its own, and empty in every run
//@ input: stdin =1
//@ args: --strategy dfs
//@ iterations: <= 20
//@ end: exhausted
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(void) {
    unsigned char c;
    char name[] = "/var/tmp/caseXXXXXX";
    if (read(0, &c, 1) != 1) return 9;
    FILE *file = tmpfile();
    if (!file || fputs("7\n", file) < 0 || fseek(file, 0, SEEK_SET) || fgetc(file) != '7') return 8; //~ side: false
    int named = mkstemp(name);
    if (named < 0) return 7; //~ side: false
    unlink(name);
#ifndef CASE_NATIVE
    if (access("/tmp/symcrete-case", F_OK) == 0) return 6;
    close(open("/tmp/symcrete-case", O_CREAT | O_WRONLY, 0600));
#endif
    if (c == 'x') return 1; //~ side: both
    return 0;
}
