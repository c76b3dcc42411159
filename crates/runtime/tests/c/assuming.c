/* A harness whose inputs are requests, with an assumption: only even numbers count. */
#include "../../include/symcrete.h"
#include "slow.h"
#include <stdio.h>

UNIT(3)

static int depth;

void symcrete_harness(void);
void symcrete_harness(void) {
  int x = symcrete_int("x");
  marks[0] = 1;
  symcrete_assume(x % 2 == 0);
  depth++;
  marks[1] = 1;
  if (x > 100)
    marks[2] = 1;
  if (symcrete_int("y") == 5)
    marks[3] = 1;
}
