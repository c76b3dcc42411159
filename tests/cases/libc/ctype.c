//@ about: isdigit, isalpha, isspace, isxdigit, ispunct, toupper, tolower
//@ input: stdin =1
//@ args: --strategy dfs
#include <ctype.h>
#include <unistd.h>

int main(void) {
    unsigned char c = 0;
    if (read(0, &c, 1) != 1) return 9;
    if (isdigit(c)) return 1;            //~ side: both
    if (isalpha(c)) {                    //~ side: both
        if (isxdigit(c)) return 2;       //~ side: both
        if (toupper(c) == 'Q') return 3; //~ side: both
        return islower(c) ? 4 : 5;       //~ side: both
    }
    if (isspace(c)) return 6;            //~ side: both
    if (ispunct(c)) return 7;            //~ side: both
    if (isprint(c)) return 8;            //~ side: false
    return 0;
}
