//@ about: a word counter over fgetc, to the end of input
//@ input: stdin 4
//@ args: --strategy dfs
//@ iterations: <= 400
//@ end: exhausted
#include <ctype.h>
#include <stdio.h>

int main(void) {
    int c, words = 0, inside = 0;
    while ((c = fgetc(stdin)) != EOF) { //~ side: both
        if (c == ' ') inside = 0;       //~ side: both
        else if (!inside) {             //~ side: both
            inside = 1;
            words++;
        }
    }
    if (words == 2) return 1; //~ side: both
    if (words > 2) return 2;  //~ side: false
    return 0;
}
