/* Recursion, mutual recursion, functions that are inlined, called through pointers, called back by the library. */
#include <stdint.h>
#include <stddef.h>
#include <search.h>

static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
static int odd(unsigned n);
static int even(unsigned n) { return n == 0 ? 1 : odd(n - 1); }
static int odd(unsigned n) { return n == 0 ? 0 : even(n - 1); }
static inline int clamp(int x, int low, int high) { return x < low ? low : x > high ? high : x; }
static int straight(int x) { return x * 3 + 1; }
static int up(const void *a, const void *b) {
  int x = *(const int *)a, y = *(const int *)b;
  if (x < y)
    return -1;
  return x > y;
}
static int same(const void *a, const void *b) { return *(const int *)a != *(const int *)b; }
static int visited;
static void visit(const void *node, VISIT order, int level) {
  if (order == preorder || order == leaf)
    visited += level > 1 ? **(const int *const *)node : 1;
}
static int down(const void *a, const void *b) { return up(b, a); }
static int tail(int n, int sum) {
  if (n == 0)
    return sum;
  return tail(n - 1, sum + n);
}
int ackermann(int m, int n) {
  if (m == 0)
    return n + 1;
  if (n == 0)
    return ackermann(m - 1, 1);
  return ackermann(m - 1, ackermann(m, n - 1));
}
int (*const orders[])(const void *, const void *) = {up, down};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  int list[8], sum = 0;
  for (size_t i = 0; i < 8; i++)
    list[i] = i < size ? data[i] : (int)(7 * i % 5);
  void *tree = 0;
  for (int i = 0; i < 8; i++)
    tsearch(&list[i], &tree, orders[size & 1]);
  twalk(tree, visit);
  for (int i = 0; i < 8; i++)
    tdelete(&list[i], &tree, orders[size & 1]);
  for (int i = 0; i < 8; i++)
    sum += clamp(list[i], 3, 9) + straight(i) + fib(i);
  sum += tail(20, 0) + ackermann(2, size & 3);
  if (even(sum & 15))
    sum++;
  int key = 4;
  size_t count = 8;
  if (lfind(&key, list, &count, sizeof *list, same))
    sum += orders[sum & 1](list, list + 1);
  return sum + visited == -1;
}
