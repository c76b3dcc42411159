//@ about: a crash deep inside is found from a snapshot, replayed from the start, and shortened
//@ input: calls
//@ args: --strategy hybrid --until bug
//@ iterations: <= 6000
//@ end: goal
#include <symcrete.h>

int main(void) {
    int depth = 0, *nowhere = 0;
    for (;;) {
        int key = symcrete_int("key");
        if (key == 1000 + depth) depth++;
        else if (key < 0) depth = 0;
        if (depth == 5) *nowhere = 1; //~ crash: crash
    }
}
