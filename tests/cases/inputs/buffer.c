//@ about: a libFuzzer harness: the buffer's bytes and its length
//@ input: buffer 6
//@ args: --strategy dfs
//@ iterations: <= 400
#include <stddef.h>
#include <stdint.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 4) return 0;                      //~ side: both
    if (memcmp(data, "RIFF", 4) == 0) {          //~ side: both
        if (size == 6 && data[5] == 9) return 0; //~ side: both
    }
    return 0;
}
