//@ about: waiting for nothing, writing without end, ignoring what asks it to end: a run from a snapshot is ended, the walk goes on
//@ input: calls
//@ args: --strategy hybrid --saturation 8 --timeout 200ms --max-inputs 2
//@ iterations: <= 60
//@ may-lose: call:signal
//@ may-lose: call:pause
//@ may-lose: replay:output limit
//@ may-lose: hang:alike
//@ allow: nondeterministic
#include <signal.h>
#include <symcrete.h>
#include <unistd.h>

static char block[1 << 16];

int main(void) {
    signal(SIGTERM, SIG_IGN);
    for (;;) {
        unsigned char c = symcrete_uchar("c");
        if (c == 's') for (;;) pause();                                     //~ crash: timeout
        while (c == 'o') if (write(1, block, sizeof block) < 0) return 1;   //~ crash: timeout
        if (c == 'q') return 2;                                             //~ side: both
    }
}
