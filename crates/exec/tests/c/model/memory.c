/* Structs, unions, bit-fields, arrays of arrays, pointers into them, globals that point at each other, strings. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct point {
  char tag;
  int x, y;
  struct point *next;
};
union word {
  uint32_t whole;
  uint8_t parts[4];
};
struct flags {
  unsigned a : 3, b : 7;
  int c : 5;
};

static int grid[4][5] = {{1, 2, 3}, {4}, {0, 0, 0, 9}};
static struct point last = {'z', 7, 8, 0}, first = {'a', 1, 2, &last};
static int *middle = &grid[2][1];
static const char *const names[] = {"one", "two", "three"};
static double weights[3] = {0.5, 2.0};
struct pair {
  long a;
  struct point p;
};

static struct pair swap(struct pair in) {
  struct pair out = in;
  out.p.x = in.p.y;
  out.p.y = in.p.x;
  out.a = -in.a;
  return out;
}

int main(void) {
  int sum = 0;
  for (int i = 0; i < 4; i++)
    for (int j = 4; j >= 0; j--)
      sum += grid[i][j] * (i + 1);
  sum += middle[2] - *(middle - 6);
  for (struct point *p = &first; p; p = p->next)
    sum = sum * 31 + p->x + p->y * p->tag;
  union word w;
  w.whole = 0x01020304;
  w.parts[1] ^= 0xff;
  struct flags f = {5, 99, -7};
  f.b += 30;
  f.c -= 3;
  struct pair before = {123456789012, {'q', 3, -4, &first}};
  struct pair after = swap(before);
  char text[32];
  memset(text, 'x', sizeof text);
  memcpy(text, names[2], 6);
  int *heap = malloc(10 * sizeof *heap);
  for (int i = 0; i < 10; i++)
    heap[i] = i * i - sum;
  memmove(heap + 1, heap, 8 * sizeof *heap);
  printf("%d %x %u %u %d %ld %d %d\n", sum, w.whole, f.a, f.b, f.c, after.a, after.p.x, after.p.next->x);
  printf("%s %lu %c %d %d\n", text, strlen(names[1]), text[7], heap[9], heap[1]);
  printf("%d\n", (int)(weights[1] * 10 + weights[0]));
  free(heap);
  return sum & 31;
}
