//@ about: fixed arguments stand before those that are input
//@ input: arg =1
//@ args: --strategy dfs
//@ arguments: -x key
//@ end: exhausted
#include <string.h>

int main(int argc, char **argv) {
    if (argc != 4) return 1;                  //~ side: false
    if (strcmp(argv[1], "-x") != 0) return 2; //~ side: false
    if (strcmp(argv[2], "key") != 0) return 3; //~ side: false
    if (argv[3][0] == 'k') return 4;          //~ side: both
    return 0;
}
