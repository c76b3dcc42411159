//@ about: words that a program compares with what it reads are written out, as long as they are, also as lines of their own
//@ input: stdin 64
//@ iterations: <= 6000
//@ alone: only `auto` guesses
#include <stdio.h>
#include <string.h>

static char port[16];

int main(void) {
    char line[64];
    int server = 0;
    while (fgets(line, sizeof line, stdin)) { //~ side: both
        line[strcspn(line, "\n")] = 0;
        if (line[0] == '[') { //~ side: both
            char *end = strchr(line, ']');
            if (!end) return 2; //~ side: both
            *end = 0;
            server = !strcmp(line + 1, "server");
            continue;
        }
        char *value = strchr(line, '=');
        if (!value) return 3; //~ side: both
        *value++ = 0;
        if (!strcmp(line, "port")) //~ side: both
            strncpy(port, value, sizeof port - 1);
        else if (!strcmp(line, "hostname")) { //~ side: both
            if (!strcmp(value, "localhost")) return 5; //~ side: both
        }
        else if (!strcmp(line, "key")) //~ side: both
            return 6;
    }
    return server && port[0] ? 4 : 0; //~ side: both
}
