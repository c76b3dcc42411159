//@ about: getopt is opaque: options are found by chance only
//@ should: follow it: -v and -l7 are a few decisions away
//@ lost: call
//@ input: arg 3
//@ input: arg 2
//@ args: --strategy bfs
//@ iterations: <= 1500
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv) {
    int c, verbose = 0, level = 0;
    opterr = 0;
    while ((c = getopt(argc, argv, "vl:")) != -1) {
        switch (c) {
        case 'v': verbose++; break;
        case 'l': level = atoi(optarg); break;
        default: return 2;
        }
    }
    if (verbose && level == 7) return 1;
    return 0;
}
