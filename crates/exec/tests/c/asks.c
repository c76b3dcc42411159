/* Asks without end and adds up what it is given; some values end it, in one way or another. */
#include <stdlib.h>
#include <symcrete.h>
#include <unistd.h>

static unsigned sum;

int main(void) {
  unsigned *more = calloc(1, sizeof *more);
  for (unsigned turns = 0;; turns++) {
    unsigned x = symcrete_uint("x");
    sum += x;
    *more += x;
    if (sum != *more)
      return 99;
    if (x == 1000)
      return sum == 5 * turns + 1000 ? 7 : 8;
    if (x == 2000)
      abort();
    if (x == 3000)
      for (;;)
        pause();
  }
}
