//@ about: options of a command line: letters, groups of them, arguments, long names, operands in between
//@ input: arg 6
//@ input: arg 3
//@ args: --strategy bfs
//@ iterations: <= 2500
//@ end: exhausted
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct option names[] = {
    {"size", required_argument, 0, 's'}, {"silent", no_argument, 0, 'q'}, {0, 0, 0, 0}};

int main(int argc, char **argv) {
    int c, verbose = 0, level = 0, quiet = 0, size = 0;
    opterr = 0;
    while ((c = getopt_long(argc, argv, "vl:", names, 0)) != -1) { //~ side: both
        switch (c) {
        case 'v': //~ case: 1
            verbose++;
            break;
        case 'l': //~ case: 1
            level = atoi(optarg);
            break;
        case 's': //~ case: 1
            size = atoi(optarg);
            break;
        case 'q': //~ case: 1
            quiet = 1;
            break;
        default: //~ case: 1
            return 2;
        }
    }
    if (verbose == 2 && level == 7) //~ side: both
        return 1;                   //~ reach
    if (size == 3) //~ side: both
        return 3;  //~ reach
    if (quiet && optind < argc && !strcmp(argv[optind], "x")) //~ side: both
        return 4;                                             //~ reach
    return 0;
}
