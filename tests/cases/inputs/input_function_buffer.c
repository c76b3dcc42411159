//@ about: functions that fill a buffer or return a pointer are inputs, too: length and bytes, null or memory
//@ input: calls
//@ args: --strategy dfs --input-function receive:4 --input-function next_word:3
//@ end: exhausted
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

#ifdef CASE_NATIVE
#include <symcrete.h>
static long receive(int from, char *into, size_t size) {
    (void)from;
    long most = size < 4 ? size : 4;
    long n = (long)(symcrete_ushort("length of receive") % (most + 2)) - 1;
    symcrete_bytes(into, most, "receive");
    return n;
}
char *next_word(void) {
    if (!symcrete_choice(2, "next_word is not null")) return NULL;
    char *p = calloc(1, 4);
    symcrete_bytes(p, 3, "next_word");
    return p;
}
#else
static long receive(int from, char *into, size_t size) { return read(from, into, size); }
char *next_word(void) { return "none"; }
#endif

int main(void) {
    char buffer[16];
    long n = receive(0, buffer, sizeof buffer);
    if (n < 0) return 1;                             //~ side: both
    if (n == 4 && buffer[0] == 'g' && buffer[3] == 'o') { //~ side: both
        char *word = next_word();
        if (!word) return 2;                         //~ side: both
        if (word[0] == 'x' && !word[1]) abort();     //~ side: both  crash: abort
        return 3;                                    //~ reach
    }
    return 0;
}
