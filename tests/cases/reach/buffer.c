//@ about: the bytes of a buffer, its length, and every input tried
//@ input: buffer 1
#include <stddef.h>
#include <stdint.h>
#include <symcrete.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size > 1)
        symcrete_target(1); //~ unreachable
    if (size == 0)
        return 0; //~ reach
    int value = data[0];
    if (value == 'x')
        symcrete_target(2); //~ reach
    if (value > 255)
        symcrete_target(3); //~ unreachable
    if ((value ^ 0x5a) == 0x13 && (value & 1) == 0)
        symcrete_target(4); //~ unreachable
    unsigned hash = 0;
    for (int i = 0; i < 4; i++)
        hash = hash * 31 + ((value >> i) & 1);
    if (hash == 30)
        symcrete_target(5); //~ unreachable
    if (hash == 31)
        symcrete_target(6); //~ reach
    return 0;
}
