//@ about: snapshots right before lines are read: what the buffer of stdin has read ahead is not read yet there
//@ input: stdin 120
//@ args: --strategy hybrid --until coverage=100%
//@ iterations: <= 12000
//@ end: goal
#include <stdio.h>
#include <string.h>

static int depth;

int main(void) {
    char line[6];
    while (fgets(line, sizeof line, stdin)) { //~ side: both
        if (depth == 0 && !strncmp(line, "op", 2)) depth = 1;      //~ side: both
        else if (depth == 1 && !strncmp(line, "us", 2)) depth = 2; //~ side: both
        else if (depth == 2 && !strncmp(line, "qu", 2)) return 7;  //~ side: both
        else if (line[0] == 'x') depth = 0;                        //~ side: both
    }
    return 0;
}
