/* Recursion, functions through pointers and tables, structs by value, short circuits, static variables. */
#include <stdio.h>

struct vector {
  long x, y, z, w, v;
};
typedef int (*step)(int);

static int twice(int x) { return 2 * x; }
static int next(int x) { return x + 1; }
static int square(int x) { return x * x; }
static step const steps[] = {twice, next, square};
static int counter(void) {
  static int n = 40;
  return n++;
}
static int ackermann(int m, int n) {
  return m == 0 ? n + 1 : n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}
static struct vector add(struct vector a, struct vector b) {
  struct vector r = {a.x + b.x, a.y - b.y, a.z * b.z, a.w ^ b.w, a.v | b.v};
  return r;
}
static int apply(step f, int n, int x) { return n == 0 ? x : apply(f, n - 1, f(x)); }
static int all(int a, int b, int c) { return (a && b) || (!a && (b || c)); }

int main(int argc, char **argv) {
  int sum = 0;
  for (int i = 0; i < 12; i++)
    sum = steps[i % 3](sum) % 10007 + apply(steps[(i + 1) % 3], i % 4, i);
  struct vector v = {1, 2, 3, 4, 5};
  for (int i = 0; i < 5; i++)
    v = add(v, (struct vector){i, i + 1, 2, i * 3, i});
  for (int i = 0; i < 8; i++)
    sum = sum * 2 + all(i & 1, i & 2, i & 4);
  printf("%d %d %ld %ld %ld %ld %ld\n", sum, ackermann(2, 3), v.x, v.y, v.z, v.w, v.v);
  printf("%d %d %d\n", counter(), counter(), argc + (argv != 0));
  return sum & 15;
}
