//@ about: with a second thread no snapshot would be exact: that is said, and the walk goes on
//@ input: calls
//@ cflags: -pthread
//@ may-lose: path
//@ args: --strategy hybrid --saturation 8
//@ iterations: <= 60
//@ lost: snapshot:thread
//@ may-lose: call:pthread_create
//@ may-lose: thread
#include <pthread.h>
#include <symcrete.h>
#include <unistd.h>

static void *work(void *p) {
    (void)p;
    for (;;) pause();
}

int main(void) {
    pthread_t thread;
    if (pthread_create(&thread, 0, work, 0)) return 9;
    for (;;) {
        unsigned char c = symcrete_uchar("c");
        if (c == 'q') return 1;
    }
}
