/* One number decides: returns, a crash, a standstill, another request, an address. */
#include <stdlib.h>
#include <symcrete.h>
#include <unistd.h>

int table[64];

int main(void) {
    unsigned x = symcrete_uint("x");
    if (x + 5 >= 100) return 1;
    switch (x) {
    case 7: abort();
    case 8: for (;;) pause();
    case 9: return symcrete_uint("again") == 12 ? 9 : 10;
    }
    return 3 + table[x & 63];
}
