//@ about: strtod: the form of the number is followed, its value is a float like any other
//@ input: stdin 5
//@ args: --strategy bfs
//@ iterations: <= 700
//@ allow: unknown
//@ may-lose: float
#include <stdlib.h>
#include <unistd.h>

int main(void) {
    char b[6] = {0}, *end;
    long n = read(0, b, 5);
    if (n <= 0) return 9;
    double x = strtod(b, &end);
    if (end == b) return 1;    //~ side: both
    if (*end == ';') return 2; //~ side: both
    if (x < 0) return 3;       //~ side: both
    if (x > 10) return 4;      //~ side: both
    return 0;                  //~ reach
}
