/* Compares models that take floats apart with the native functions, bit for bit, on random arguments. */
#define _GNU_SOURCE
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

double __symcrete_libc_frexp(double, int *);
float __symcrete_libc_frexpf(float, int *);
double __symcrete_libc_modf(double, double *);
float __symcrete_libc_modff(float, float *);
void __symcrete_libc_sincos(double, double *, double *);
void __symcrete_libc_sincosf(float, float *, float *);
int __symcrete_libc___isnan(double);
int __symcrete_libc___isnanf(float);
int __symcrete_libc___finite(double);
int __symcrete_libc___finitef(float);

static uint64_t state = 88172645463325252u;
static uint64_t draw(void) {
  state ^= state << 13;
  state ^= state >> 7;
  return state ^= state << 17;
}

static double any(void) {
  static const double special[] = {0.0, -0.0, 1.0, -1.0, 0.5, 1e300, 4503599627370496.0, 4503599627370495.5,
                                   INFINITY, -INFINITY, NAN, 5e-324, 2.2250738585072014e-308, 1e-310, 7.25};
  uint64_t bits = draw();
  double x;
  memcpy(&x, &bits, 8);
  switch (draw() % 4) {
  case 0: return special[draw() % (sizeof special / sizeof *special)];
  case 1: return (double)(int64_t)(draw() >> (draw() % 64)) / 8;
  default: return x;
  }
}

static void same(const char *what, double x, const void *a, const void *b, size_t n) {
  if (memcmp(a, b, n)) {
    printf("%s(%a) differs\n", what, x);
    exit(1);
  }
}

#define SAME(what, x, a, b) same(what, x, &(a), &(b), sizeof(a))

int main(int count, char **arguments) {
  int rounds = count > 1 ? atoi(arguments[1]) : 1000;
  for (int i = 0; i < rounds; i++) {
    double x = any(), w[2] = {0}, s[2] = {0}, c[2] = {0};
    float f = (float)any(), fw[2] = {0}, fs[2] = {0}, fc[2] = {0};
    int e[2] = {0}, fe[2] = {0};
    double m = frexp(x, &e[0]), n = __symcrete_libc_frexp(x, &e[1]);
    SAME("frexp", x, m, n);
    SAME("frexp's exponent", x, e[0], e[1]);
    float fm = frexpf(f, &fe[0]), fn = __symcrete_libc_frexpf(f, &fe[1]);
    SAME("frexpf", f, fm, fn);
    SAME("frexpf's exponent", f, fe[0], fe[1]);
    m = modf(x, &w[0]), n = __symcrete_libc_modf(x, &w[1]);
    SAME("modf", x, m, n);
    SAME("modf's integer", x, w[0], w[1]);
    fm = modff(f, &fw[0]), fn = __symcrete_libc_modff(f, &fw[1]);
    SAME("modff", f, fm, fn);
    SAME("modff's integer", f, fw[0], fw[1]);
    sincos(x, &s[0], &c[0]), __symcrete_libc_sincos(x, &s[1], &c[1]);
    if (x == x && x - x == 0) {
      SAME("sincos's sine", x, s[0], s[1]);
      SAME("sincos's cosine", x, c[0], c[1]);
    }
    sincosf(f, &fs[0], &fc[0]), __symcrete_libc_sincosf(f, &fs[1], &fc[1]);
    if (f == f && f - f == 0) {
      SAME("sincosf's sine", f, fs[0], fs[1]);
      SAME("sincosf's cosine", f, fc[0], fc[1]);
    }
    int is[2] = {!!isnan(x), !!__symcrete_libc___isnan(x)}, fis[2] = {!!isnan(f), !!__symcrete_libc___isnanf(f)};
    SAME("isnan", x, is[0], is[1]);
    SAME("isnanf", f, fis[0], fis[1]);
    int fin[2] = {!!isfinite(x), !!__symcrete_libc___finite(x)}, ffin[2] = {!!isfinite(f), !!__symcrete_libc___finitef(f)};
    SAME("finite", x, fin[0], fin[1]);
    SAME("finitef", f, ffin[0], ffin[1]);
  }
  printf("agreed on %d rounds\n", rounds);
  return 0;
}
