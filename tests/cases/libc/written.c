//@ about: what a program writes and reads back is not followed, and that is said
//@ input: stdin =4
//@ args: --strategy dfs
//@ revisions: file pipe memory
//@[file] cflags: -DFILES
//@[pipe] cflags: -DPIPE
//@ iterations: <= 20
//@ end: nothing-left
//@ lost: written
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static unsigned char there_and_back(unsigned char c) {
    unsigned char back = 0;
#ifdef FILES
    FILE *file = tmpfile();
    if (!file || fputc(c, file) == EOF || fseek(file, 0, SEEK_SET) || fread(&back, 1, 1, file) != 1) exit(8);
    fclose(file);
#elif defined PIPE
    static int ends[2];
    if (pipe(ends) || write(ends[1], &c, 1) != 1 || read(ends[0], &back, 1) != 1) exit(8);
#else
    static char *text;
    static size_t size;
    FILE *file = open_memstream(&text, &size);
    if (!file || fprintf(file, "%c", c) < 0 || fclose(file) == EOF) exit(8);
    back = (unsigned char)*text;
#endif
    return back;
}

int main(void) {
    unsigned char c[4];
    if (read(0, c, 4) != 4) return 9; //~ side: false
    if (there_and_back(c[3]) == 'x') return 1; //~ uncovered: lost
    printf("%c\n", c[3]);
    return 0;
}
