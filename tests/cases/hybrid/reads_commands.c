//@ about: commands in lines: a word that is compared with is spelt at once behind a snapshot, not byte by byte
//@ input: stdin 256
//@ args: --strategy hybrid --until coverage=100%
//@ iterations: <= 3000
//@ end: goal
#include <stdio.h>
#include <string.h>

static int depth, known;

static int command(char *line) {
    char *verb = strtok(line, " \n");
    if (!verb) return 0;                               //~ side: both
    if (!strcmp(verb, "quit")) return 1;               //~ side: both
    if (!strcmp(verb, "login")) known = 1;             //~ side: both
    else if (!strcmp(verb, "push")) depth++;           //~ side: both
    else if (!strcmp(verb, "secret")) return 2;        //~ side: both
    return 0;
}

int main(void) {
    char line[80];
    int end = 0;
    while (!end && fgets(line, sizeof line, stdin)) //~ side: both
        end = command(line);
    return end;
}
