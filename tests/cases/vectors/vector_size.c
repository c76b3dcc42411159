//@ about: vectors of four integers as clang's front end makes them: lane-wise operations, comparison, element access
//@ input: stdin =16
//@ args: --strategy dfs
//@ end: exhausted
#include <string.h>
#include <unistd.h>

typedef int four __attribute__((vector_size(16)));

int main(void) {
    four v;
    if (read(0, &v, 16) != 16) return 9;
    four doubled = v * 2 + (four){1, 2, 3, 4};
    if (doubled[2] == 203 && v[2] == 100) return 1;   //~ side: both
    four larger = v > (four){10, 20, 30, 40};
    if (larger[3] && v[3] == 41) return 2;            //~ side: both
    four mixed = __builtin_shufflevector(v, doubled, 0, 5, 2, 7);
    if (mixed[0] + mixed[1] == 77 && v[0] == 7) return 3; //~ side: both
    return 0;
}
