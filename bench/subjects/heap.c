/* heap - asks without end, with 64 MB of heap that it has written to.
 *
 * Input: main asks for one number each turn. What a snapshot of such a process costs is measured with it.
 */
#include <stdlib.h>
#include <string.h>
#include "symcrete_input.h"

enum { BYTES = 64 << 20 };

int main(void) {
  unsigned char *heap = malloc(BYTES);
  if (!heap)
    return 1;
  memset(heap, 1, BYTES);
  for (;;) {
    unsigned at = (unsigned)symcrete_int("at");
    if (heap[at % 4096] == 7)
      symcrete_target(1);
  }
}
