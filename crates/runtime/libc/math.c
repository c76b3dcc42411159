/* Models: floats taken apart, and what arithmetic leaves behind beside its result. Only what the C library itself has,
 * nothing of the mathematical one: a program that uses these need not be linked with it. */
#include "model.h"
#include "native.h"
#include <math.h>

#define PARTS(suffix, real, word, bits, bias)                                                                \
  static word word_of##suffix(real x) {                                                                      \
    word w;                                                                                                  \
    __builtin_memcpy(&w, &x, sizeof w);                                                                      \
    return w;                                                                                                \
  }                                                                                                          \
  static real real_of##suffix(word w) {                                                                      \
    real x;                                                                                                  \
    __builtin_memcpy(&x, &w, sizeof x);                                                                      \
    return x;                                                                                                \
  }                                                                                                          \
  real MODEL(frexp##suffix)(real x, int *exponent);                                                          \
  real MODEL(frexp##suffix)(real x, int *exponent) {                                                         \
    const word field = 2 * bias + 1;                                                                         \
    int less = bias - 1;                                                                                     \
    word w = word_of##suffix(x), e = w >> bits & field;                                                      \
    if (e == field || x == 0) {                                                                              \
      *exponent = 0;                                                                                         \
      return x + x;                                                                                          \
    }                                                                                                        \
    if (e == 0) { /* denormal */                                                                             \
      x *= (real)((word)1 << (bits + 2));                                                                    \
      w = word_of##suffix(x);                                                                                \
      e = w >> bits & field;                                                                                 \
      less += bits + 2;                                                                                      \
    }                                                                                                        \
    *exponent = (int)e - less;                                                                               \
    return real_of##suffix((w & ~(field << bits)) | (word)(bias - 1) << bits);                               \
  }                                                                                                          \
  real MODEL(modf##suffix)(real x, real *whole);                                                             \
  real MODEL(modf##suffix)(real x, real *whole) {                                                            \
    const word sign = (word)1 << (8 * sizeof(word) - 1), infinity = (word)(2 * bias + 1) << bits;            \
    word w = word_of##suffix(x), size = w & ~sign;                                                           \
    if (size > infinity) { /* NaN */                                                                         \
      *whole = x + x;                                                                                        \
      return x + x;                                                                                          \
    }                                                                                                        \
    if (size >= (word)(bias + bits) << bits) { /* no fraction left, or infinite */                           \
      *whole = x;                                                                                            \
      return real_of##suffix(w & sign);                                                                      \
    }                                                                                                        \
    real t = real_of##suffix(word_of##suffix((real)(int64_t)x) | (w & sign));                                \
    *whole = t;                                                                                              \
    return real_of##suffix((word_of##suffix(x - t) & ~sign) | (w & sign));                                   \
  }                                                                                                          \
  int MODEL(__isnan##suffix)(real x);                                                                        \
  int MODEL(__isnan##suffix)(real x) { return x != x; }                                                      \
  int MODEL(__finite##suffix)(real x);                                                                       \
  int MODEL(__finite##suffix)(real x) {                                                                      \
    return (word_of##suffix(x) >> bits & (2 * bias + 1)) != 2 * bias + 1;                                    \
  }

PARTS(, double, uint64_t, 52, 1023)
PARTS(f, float, uint32_t, 23, 127)

/* Where errno lies: whoever asks may look at what a function of the mathematical library put there. */
int *MODEL(__errno_location)(void);
int *MODEL(__errno_location)(void) {
  __symcrete_model_errno();
  return NATIVE(__errno_location)();
}
