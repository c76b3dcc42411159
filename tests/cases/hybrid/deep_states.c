//@ about: a word that counts only in a state which random inputs reach, and solving from the start does not
//@ input: calls
//@ args: --strategy hybrid --until coverage=100%
//@ iterations: <= 6000
//@ end: goal
#include <stdlib.h>
#include <symcrete.h>

int main(void) {
    int state = 0;
    for (;;) {
        char c = symcrete_char("c"), word[5];
        symcrete_bytes(word, sizeof word, "word");
        if (state < 6 && c == "[({~ax"[state]) state++;          //~ side: both
        if (word[0] == 'r' && word[1] == 'e' && word[2] == 's' && word[3] == 'e' && word[4] == 't' && state == 6) //~ side: both
            symcrete_target(1);
    }
}
