//@ about: a small state machine finds its only accepting word, with the default search
//@ input: stdin 6
//@ iterations: <= 3000
#include <unistd.h>

int main(void) {
    char word[6];
    long n = read(0, word, 6);
    int state = 0;
    for (long i = 0; i < n; i++) {
        switch (state) {
        case 0: state = word[i] == 'G' ? 1 : 0; break; //~ side: both
        case 1: state = word[i] == 'E' ? 2 : 0; break; //~ side: both
        case 2: state = word[i] == 'T' ? 3 : 0; break; //~ side: both
        case 3: state = word[i] == ' ' ? 4 : 0; break; //~ side: both
        }
    }
    if (state == 4) return 1; //~ side: both
    return 0;
}
