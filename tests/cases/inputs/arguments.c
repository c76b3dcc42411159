//@ about: program arguments, two of them, of varying length
//@ input: arg 3
//@ input: arg 2
//@ args: --strategy dfs
//@ iterations: <= 300
#include <string.h>

int main(int argc, char **argv) {
    if (argc != 3) return 9;                        //~ side: false
    if (strcmp(argv[1], "-v") == 0) return 1;       //~ side: both
    if (argv[1][0] == '-' && argv[1][1] == 'n') {   //~ side: both
        if (argv[2][0] == '7' && !argv[2][1]) return 2; //~ side: both
        return 3;
    }
    return argv[2][0] == 0;
}
