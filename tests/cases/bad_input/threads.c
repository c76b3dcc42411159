//@ about: tracking ends when a second thread starts; the program runs on, and the loss is counted
//@ input: stdin =3
//@ cflags: -pthread
//@ args: --strategy dfs
//@ iterations: <= 30
//@ lost: call:pthread_create
//@ may-lose: thread
//@ may-lose: path
#include <pthread.h>
#include <unistd.h>

static void *work(void *p) { return (char *)p + 1; }

int main(void) {
    unsigned char b[3];
    if (read(0, b, 3) != 3) return 9;
    if (b[0] == 't') { //~ side: both
        pthread_t thread;
        void *result;
        pthread_create(&thread, 0, work, b);
        pthread_join(thread, &result);
        return 1; //~ reach
    }
    return b[1] == 5;
}
