/* Models: memory that begins a new life has no labels; memory that moves takes them along. An
 * input-dependent size is fixed to what it is. */
#include "model.h"
#include "native.h"

void *MODEL(malloc)(size_t n);
void *MODEL(calloc)(size_t count, size_t size);
void *MODEL(realloc)(void *p, size_t n);
void *MODEL(reallocarray)(void *p, size_t count, size_t size);
void *MODEL(aligned_alloc)(size_t alignment, size_t n);
void *MODEL(memalign)(size_t alignment, size_t n);
int MODEL(posix_memalign)(void **p, size_t alignment, size_t n);
void MODEL(free)(void *p);

static void *fresh(void *p, size_t n) {
  if (p)
    __symcrete_model_clear(p, n);
  return p;
}

void *MODEL(malloc)(size_t n) {
  n = __symcrete_model_fix(n, LOST_ALLOCATION);
  return fresh(NATIVE(malloc)(n), n);
}

void *MODEL(calloc)(size_t count, size_t size) {
  count = __symcrete_model_fix(count, LOST_ALLOCATION);
  size = __symcrete_model_fix(size, LOST_ALLOCATION);
  /* A product that overflows gives no memory. */
  return fresh(NATIVE(calloc)(count, size), count * size);
}

void *MODEL(realloc)(void *p, size_t n) {
  n = __symcrete_model_fix(n, LOST_ALLOCATION);
  size_t old = p ? NATIVE(malloc_usable_size)(p) : 0;
  void *q = NATIVE(realloc)(p, n);
  if (!q)
    return q;
  size_t kept = old < n ? old : n;
  if (q != p && kept)
    __symcrete_model_move(q, p, kept);
  __symcrete_model_clear((char *)q + kept, n - kept);
  return q;
}

void *MODEL(reallocarray)(void *p, size_t count, size_t size) {
  size_t n;
  count = __symcrete_model_fix(count, LOST_ALLOCATION);
  size = __symcrete_model_fix(size, LOST_ALLOCATION);
  if (__builtin_mul_overflow(count, size, &n))
    return NATIVE(reallocarray)(p, count, size);
  return MODEL(realloc)(p, n);
}

void *MODEL(aligned_alloc)(size_t alignment, size_t n) {
  n = __symcrete_model_fix(n, LOST_ALLOCATION);
  return fresh(NATIVE(aligned_alloc)(alignment, n), n);
}

void *MODEL(memalign)(size_t alignment, size_t n) {
  n = __symcrete_model_fix(n, LOST_ALLOCATION);
  return fresh(NATIVE(memalign)(alignment, n), n);
}

int MODEL(posix_memalign)(void **p, size_t alignment, size_t n) {
  n = __symcrete_model_fix(n, LOST_ALLOCATION);
  int failed = NATIVE(posix_memalign)(p, alignment, n);
  __symcrete_model_clear(p, sizeof *p);
  if (!failed)
    fresh(*p, n);
  return failed;
}

void MODEL(free)(void *p) { NATIVE(free)(p); }
