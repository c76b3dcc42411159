//@ about: getchar, ungetc, fgets and fread of standard input
//@ input: stdin 8
//@ args: --strategy dfs
//@ iterations: <= 1500
#include <stdio.h>
#include <string.h>

int main(void) {
    char line[8], rest[4];
    int c = getchar();
    if (c == EOF) return 1;                                //~ side: both
    if (c == '#') ungetc('@', stdin);                      //~ side: both
    if (!fgets(line, sizeof line, stdin)) return 2;        //~ side: both
    if (line[0] == '@') return 3;                          //~ side: both
    if (strcmp(line, "ok\n") == 0) {                       //~ side: both
        size_t n = fread(rest, 1, sizeof rest, stdin);
        if (n == 4 && rest[3] == '.') return 4;            //~ side: both
        return 5;
    }
    return 0;
}
