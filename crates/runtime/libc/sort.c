/* Models: qsort and bsearch. The native sort is a stable merge sort unless memory is short; comparing the
 * same pairs in the same order, the model leaves the same order behind and calls back the same way. */
#include "model.h"
#include "native.h"

typedef int compare(const void *, const void *);
typedef int compare_with(const void *, const void *, void *);

void MODEL(qsort)(void *base, size_t count, size_t size, compare *order);
void MODEL(qsort_r)(void *base, size_t count, size_t size, compare_with *order, void *with);
void *MODEL(bsearch)(const void *key, const void *base, size_t count, size_t size, compare *order);

struct sort {
  size_t size;
  compare *order;
  compare_with *order_with;
  void *with;
  unsigned char *room;
};

static int in_order(const struct sort *s, const void *a, const void *b) {
  return (s->order ? s->order(a, b) : s->order_with(a, b, s->with)) <= 0;
}

static void merge_sort(const struct sort *s, unsigned char *base, size_t count) {
  if (count <= 1)
    return;
  size_t left = count / 2, right = count - left, size = s->size;
  unsigned char *a = base, *b = base + left * size, *to = s->room;
  merge_sort(s, a, left);
  merge_sort(s, b, right);
  while (left > 0 && right > 0) {
    if (in_order(s, a, b)) {
      COPY(to, a, size);
      a += size, left--;
    } else {
      COPY(to, b, size);
      b += size, right--;
    }
    to += size;
  }
  /* What is left of the second half is in its place already. */
  if (left > 0)
    COPY(to, a, left * size);
  COPY(base, s->room, (count - right) * size);
}

static void sort(void *base, size_t count, size_t size, compare *order, compare_with *order_with, void *with) {
  count = __symcrete_model_fix(count, LOST_LENGTH);
  size = __symcrete_model_fix(size, LOST_LENGTH);
  if (count <= 1 || size == 0)
    return;
  struct sort s = {size, order, order_with, with, NATIVE(malloc)(count * size)};
  if (!s.room) {
    __symcrete_model_lost(LOST_CALL);
    if (order)
      NATIVE(qsort)(base, count, size, order);
    return;
  }
  __symcrete_model_clear(s.room, count * size);
  merge_sort(&s, base, count);
  NATIVE(free)(s.room);
}

void MODEL(qsort)(void *base, size_t count, size_t size, compare *order) {
  sort(base, count, size, order, NULL, NULL);
}

void MODEL(qsort_r)(void *base, size_t count, size_t size, compare_with *order, void *with) {
  sort(base, count, size, NULL, order, with);
}

void *MODEL(bsearch)(const void *key, const void *base, size_t count, size_t size, compare *order) {
  size_t low = 0, high = count;
  while (low < high) {
    size_t middle = (low + high) / 2;
    const void *p = (const char *)base + middle * size;
    int sign = order(key, p);
    if (sign < 0)
      high = middle;
    else if (sign > 0)
      low = middle + 1;
    else
      return (void *)p;
  }
  return NULL;
}
