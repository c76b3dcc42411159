//@ about: a file in the working folder, read by stdio
//@ input: file config.txt:6
//@ args: --strategy dfs
//@ iterations: <= 300
#include <stdio.h>
#include <string.h>

int main(void) {
    FILE *f = fopen("config.txt", "r");
    if (!f) return 9;                            //~ side: false
    char word[7] = {0};
    size_t n = fread(word, 1, 6, f);
    fclose(f);
    if (n == 0) return 1;                        //~ side: both
    if (strcmp(word, "k=v") == 0) return 2;      //~ side: both
    if (n == 6 && word[5] == '\n') return 3;     //~ side: both
    return 0;
}
