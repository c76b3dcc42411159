//@ about: two workers, one tree: everything one of them finds, found once, and the proof that nothing is left
//@ input: stdin =3
//@ revisions: bfs rss sgs auto full
//@[bfs] args: --jobs 2 --strategy bfs
//@[rss] args: --jobs 2 --strategy rss
//@[sgs] args: --jobs 2 --strategy sgs
//@[auto] args: --jobs 2 --strategy auto
//@[full] args: --jobs 3 --strategy rcn --solve full
//@ allow: nondeterministic
//@ iterations: <= 4000
//@ end: exhausted
#include <stdlib.h>
#include <unistd.h>

static int digits(const unsigned char *text) {
    int sum = 0;
    for (int i = 0; i < 3; i++) {               //~ side: both
        if (text[i] < '0' || text[i] > '9')     //~ side: both
            return -1;                          //~ reach
        sum = 10 * sum + text[i] - '0';
    }
    return sum;
}

int main(void) {
    unsigned char text[3];
    if (read(0, text, 3) != 3) return 0; //~ side: false
    int number = digits(text);
    if (number < 0) return 1;  //~ side: both
    if (number == 913) abort(); //~ side: both   crash: abort
    if (number > 999) return 2; //~ side: false
    if (number % 7 == 3)        //~ side: both
        return number == 500 ? 4 : 3; //~ side: both
    return 5; //~ reach
}
