//@ about: a program that catches its own SIGSEGV and exits is no crash
//@ input: stdin =1
//@ args: --strategy dfs
//@ may-lose: path
//@ iterations: <= 50
#include <signal.h>
#include <unistd.h>

static void on_fault(int number) { _exit(number == SIGSEGV ? 7 : 8); }

int main(void) {
    char c;
    if (read(0, &c, 1) != 1) return 9;
    signal(SIGSEGV, on_fault);
    volatile int *nowhere = (int *)16;
    if (c == 'x') return *nowhere; //~ side: both
    return 0;
}
