//@ about: a harness that keeps state between calls is judged on one call
//@ input: buffer 3
//@ args: --strategy dfs
//@ iterations: <= 100
#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerInitialize(int *argc, char ***argv);
static int ready, calls;
int LLVMFuzzerInitialize(int *argc, char ***argv) {
    (void)argc, (void)argv;
    ready = 7;
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    calls++;
    if (ready != 7) return 0;                        //~ side: false
    if (size == 3 && data[0] == 'h' && data[2] == 'i') return 0; //~ side: both
    return 0;
}
