//@ about: --one-generation flips every decision of the first path once, and stops
//@ input: stdin =4
//@ args: --one-generation
//@ iterations: <= 6
//@ end: nothing-left
#include <unistd.h>

int main(void) {
    char b[4];
    if (read(0, b, 4) != 4) return 9;
    int n = 0;
    if (b[0] == 'o') n++; //~ side: both
    if (b[1] == 'n') n++; //~ side: both
    if (b[2] == 'e') n++; //~ side: both
    if (b[3] == '!') n++; //~ side: both
    if (n > 1) return 1;  //~ side: false   (needs two flips)
    return 0;
}
