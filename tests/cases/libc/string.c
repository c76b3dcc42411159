//@ about: strlen, strcmp, strncmp, strchr, strstr, strcpy, strcat on input
//@ input: stdin =8
//@ args: --strategy dfs
//@ iterations: <= 600
#include <string.h>
#include <unistd.h>

int main(void) {
    char b[9] = {0}, copy[32];
    if (read(0, b, 8) != 8) return 9;
    if (strlen(b) < 3) return 1;                        //~ side: both
    if (strcmp(b, "ab\n") == 0) return 2;               //~ side: both
    if (strncmp(b, "GET ", 4) == 0) return 3;           //~ side: both
    char *colon = strchr(b, ':');
    if (colon && colon - b == 3) return 4;              //~ side: both
    if (strstr(b, "xy")) return 5;                      //~ side: both
    strcpy(copy, b);
    strcat(copy, "!");
    if (copy[3] == '!') return 6;                       //~ side: both
    return 0;
}
