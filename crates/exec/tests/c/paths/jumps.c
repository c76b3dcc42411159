/* longjmp out of a recursion, out of a library's callback, and several times to one place; goto. llvm-cov derives
 * counts from others and is wrong about such programs, so this one counts by itself, one condition a line. */
#include <search.h>
#include <setjmp.h>
#include <stdint.h>
#include <stddef.h>

#ifdef COUNT
long counts[200][2];
#define C(c) ((c) ? (counts[__LINE__][0]++, 1) : (counts[__LINE__][1]++, 0))
#else
#define C(c) (c)
#endif

static jmp_buf back, out;
static int depth;

static void dive(int n) {
  depth++;
  if (C(n == 0))
    longjmp(back, depth);
  dive(n - 1);
  depth--;
}

static int give_up(const void *a, const void *b) {
  int x = *(const int *)a, y = *(const int *)b;
  if (C(x == 3) ||
      C(y == 3))
    longjmp(out, 5);
  return C(x < y) ? -1 : 1;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  volatile int rounds = 0;
  int list[] = {1, 9, 3, 7};
  size_t count = 4;
  depth = 0;
  int got = setjmp(back);
  if (C(got == 0) ||
      C(rounds < 3)) {
    rounds++;
    dive(rounds + (C(size > 0) ? data[0] & 1 : 0));
  }
  int gave_up = setjmp(out);
  if (C(gave_up == 0))
    lfind(&list[1], list, &count, sizeof *list, give_up);
  else
    rounds += 100;
  int n = 0;
again:
  if (C(++n < rounds))
    goto again;
  return n > 1000;
}
