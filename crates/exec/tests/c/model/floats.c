/* float and double: arithmetic, comparisons with NaN, conversions both ways. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static uint64_t bits(double d) {
  uint64_t b;
  memcpy(&b, &d, 8);
  return b;
}

int main(void) {
  double x = 1.0, nan = __builtin_nan("");
  float f = 0.1f;
  for (int i = 1; i < 30; i++) {
    x = x / 3.0 + i * 1.7 - (double)f;
    f = f * 1.5f - (float)x / 100.0f;
    if (x > 20.0 || f < -10.0f)
      x -= 15.5;
  }
  int flags = (nan == nan) | (nan != nan) << 1 | (nan < 1.0) << 2 | !(nan >= 1.0) << 3 | (x <= 100.0) << 4;
  printf("%lx %lx %d\n", bits(x), bits(f), flags);
  printf("%d %u %ld %d\n", (int)x, (unsigned)(x * x), (long)-x, (int)(signed char)f);
  printf("%lx %lx %lx\n", bits((double)16777217), bits((float)16777217), bits(-(double)3000000000u));
  return 0;
}
