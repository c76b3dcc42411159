/* Undefined behaviour, by the first byte of standard input; compiled with clang's checks. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

static int array[4];

static int *nowhere(int c) { return c == 'n' ? NULL : array; }

int main(void) {
  int c = getchar();
  volatile int shift = 40, zero = 0, big = INT_MAX, index = 9;
  switch (c) {
  case 'o': return big + (c == 'o');
  case 's': return 1 << shift;
  case 'd': return c / zero;
  case 'b': return array[index];
  case 'n': return *nowhere(c);
  }
  return 0;
}
