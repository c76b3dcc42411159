//@ about: loads of every width at odd addresses see the stored bytes
//@ input: stdin =9
//@ args: --strategy dfs
//@ end: exhausted
#include <stdint.h>
#include <string.h>
#include <unistd.h>

struct __attribute__((packed)) record {
    uint8_t tag;
    uint64_t value;
};

int main(void) {
    char buffer[16];
    if (read(0, buffer + 1, 9) != 9) return 9;
    struct record *r = (struct record *)(buffer + 1);
    if (r->tag != 'T') return 1;                                  //~ side: both
    if (r->value == 0x1122334455667788) return 2;                 //~ side: both
    uint16_t half;
    memcpy(&half, buffer + 4, 2);
    if (half == 0xabcd) return 3;                                 //~ side: both
    if ((r->value >> 16 & 0xff) == 0xcd && half == 0xabcd) return 4; //~ side: both false
    return 0;
}
