/* Speaks the fork server's protocol by itself and badly: the first argument says how. */
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct reply { uint32_t kind; int32_t pid, status; uint32_t arg; };
static int commands, replies;

static void say(uint32_t kind, int32_t status) {
    struct reply r = {kind, 1, status, 1};
    if (write(replies, &r, sizeof r) != sizeof r) _exit(9);
}

int main(int argc, char **argv) {
    const char *what = argc > 1 ? argv[1] : "", *engine = getenv("SYMCRETE_ENGINE");
    int shm;
    char command[16];
    if (!strcmp(what, "silent-exit")) { fprintf(stderr, "no library found\n"); return 4; }
    if (!engine || sscanf(engine, "%d,%d,%d", &shm, &commands, &replies) != 3) return 8;
    if (!strcmp(what, "never-ready")) for (;;) pause();
    if (!strcmp(what, "closes")) { close(replies); for (;;) pause(); }
    if (!strcmp(what, "nonsense-hello")) { say(77, 1); for (;;) pause(); }
    if (!strcmp(what, "other-version")) { say(1, 999); for (;;) pause(); }
    if (!strcmp(what, "refuses")) { struct reply r = {5, 0, 71, 998}; return write(replies, &r, sizeof r) != sizeof r; }
    if (!strcmp(what, "truncates")) { if (ftruncate(shm, 0) == 0) return 7; }
    say(1, argc > 2 ? atoi(argv[2]) : 0); /* the version that the engine wants to hear */
    for (;;) {
        if (read(commands, command, sizeof command) != sizeof command) return 0;
        if (!strcmp(what, "dies")) { if (access("once", F_OK)) abort(); return 1; }
        if (!strcmp(what, "nonsense")) { say(1234, 0); continue; }
        if (!strcmp(what, "fails")) { say(5, 12); continue; }
        say(2, 0);
        if (!strcmp(what, "dies-in-run")) abort();
        if (!strcmp(what, "nonsense-in-run")) { say(4321, 0); continue; }
        if (!strcmp(what, "hangs")) for (;;) pause();
        say(3, 3 << 8);
    }
}
