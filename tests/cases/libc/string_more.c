//@ about: strrchr, strspn, strcspn, strpbrk, strncpy, strnlen, strcasecmp, strtok
//@ input: stdin =4
//@ args: --strategy dfs
//@ iterations: <= 1500
#include <string.h>
#include <strings.h>
#include <unistd.h>

int main(void) {
    char b[5] = {0}, copy[5] = "....";
    if (read(0, b, 4) != 4) return 9;
    if (strcasecmp(b, "yEs") == 0) return 1;               //~ side: both
    if (strspn(b, "01") == 4) return 2;                    //~ side: both
    if (strcspn(b, ",;") == 2) return 3;                   //~ side: both
    char *last = strrchr(b, '/');
    if (last && last == b + 3) return 4;                   //~ side: both
    if (strpbrk(b, "#%")) return 5;                        //~ side: both
    strncpy(copy, b, 2);
    if (copy[1] == 0 && copy[0] && copy[2] != '.') return 6; //~ side: both both false
    if (strnlen(b, 3) == 3 && b[3] == 0) return 7;         //~ side: both
    return 0;
}
