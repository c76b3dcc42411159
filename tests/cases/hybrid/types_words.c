//@ about: commands that are looked up by a hash of their names: nothing to solve for, but the program has the names
//@ input: calls
//@ args: --strategy hybrid --input-function next_key --until coverage=100%
//@ iterations: <= 40000
//@ end: goal
#include <stdio.h>
#ifdef CASE_NATIVE
#include <symcrete.h>
static int next_key(void) { return symcrete_int("next_key"); }
#else
static int next_key(void) { return getchar(); }
#endif

static const char *const names[] = {"checkpoint", "suspend", "vacuum"};

static unsigned hash(unsigned so_far, int key) { return (so_far ^ (unsigned char)key) * 16777619u; }

int main(void) {
    unsigned wanted[3] = {0};
    for (int i = 0; i < 3; i++)
        for (const char *at = names[i]; *at; at++)
            wanted[i] = hash(wanted[i], *at);
    unsigned line = 0;
    int done = 0;
    while (done != 7) {
        int key = next_key();
        if (key != '\n') {
            line = hash(line, key);
            continue;
        }
        if (line == wanted[0]) done |= 1; //~ side: both
        if (line == wanted[1]) done |= 2; //~ side: both
        if (line == wanted[2]) done |= 4; //~ side: both
        line = 0;
    }
    return 0;
}
