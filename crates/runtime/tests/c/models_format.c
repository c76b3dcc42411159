/* Compares models that print into memory with the native ones on random formats. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define M(name) __symcrete_libc_##name
int M(snprintf)(char *, size_t, const char *, ...);
int M(sprintf)(char *, const char *, ...);
int M(asprintf)(char **, const char *, ...);

static uint64_t state = 0x9e3779b97f4a7c15u;
static unsigned draw(unsigned n) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return (unsigned)(state >> 33) % n;
}

static long value(void) {
  static const long some[] = {0, 1, -1, 7, 9, 10, 99, 100, 255, INT32_MAX, INT32_MIN, INT64_MAX, INT64_MIN};
  return draw(2) ? some[draw(13)] : (long)((uint64_t)draw(1u << 31) << 33 ^ draw(1u << 31)) >> draw(60);
}

static double real(void) {
  static const double some[] = {0.0, -0.0, 1.0, 0.1, 1e300, -1e-300, 123456.789, 5e-324, 1e10};
  if (draw(6) == 0)
    return draw(2) ? __builtin_inf() : __builtin_nan("");
  return draw(2) ? some[draw(9)] : (double)value() / 1000;
}

/* `%`, flags, width, precision; then room for length and conversion. */
static char *begin(char *f, int stars[2], int *star_count) {
  *star_count = 0;
  *f++ = '%';
  for (unsigned n = draw(3); n > 0; n--)
    *f++ = "-+ #0"[draw(5)];
  switch (draw(3)) {
  case 0: f += sprintf(f, "%u", draw(20)); break;
  case 1: *f++ = '*'; stars[(*star_count)++] = (int)draw(40) - 20; break;
  }
  if (draw(3) == 0) {
    *f++ = '.';
    if (draw(3))
      f += sprintf(f, "%u", draw(15));
    else if (draw(2))
      *f++ = '*', stars[(*star_count)++] = (int)draw(14) - 3;
  }
  return f;
}

#define TRY(function, to, argument)                                                                          \
  (count == 0   ? function(to, room, format, argument)                                                       \
   : count == 1 ? function(to, room, format, stars[0], argument)                                             \
                : function(to, room, format, stars[0], stars[1], argument))
#define BOTH(argument) (expected = TRY(snprintf, one, argument), got = TRY(M(snprintf), two, argument))

int main(int argc, char **argv) {
  long rounds = argc > 1 ? atol(argv[1]) : 100000;
  static char one[2000], two[2000];
  for (long i = 0; i < rounds; i++) {
    char format[80] = "", *f = format;
    int stars[2] = {0, 0}, count, expected, got;
    size_t room = draw(4) ? 2000 : draw(30);
    if (draw(4) == 0)
      *f++ = "ab%"[draw(2)];
    f = begin(f, stars, &count);
    static const char *const lengths[] = {"", "hh", "h", "l", "ll", "j", "z", "t"};
    memset(one, '~', sizeof one), memset(two, '~', sizeof two);
    switch (draw(6)) {
    case 0:
    case 1: {
      unsigned length = draw(8);
      long v = value();
      sprintf(f, "%s%c%s", lengths[length], "diuoxX"[draw(6)], draw(3) ? "" : "%%!");
      if (length < 3)
        BOTH((int)v);
      else
        BOTH(v);
      break;
    }
    case 2: {
      char text[30];
      unsigned n = draw(30);
      for (unsigned k = 0; k < n; k++)
        text[k] = (char)(1 + draw(255));
      text[n ? n - 1 : 0] = 0;
      const char *s = draw(20) ? text : NULL;
      sprintf(f, "s.");
      BOTH(s);
      break;
    }
    case 3: {
      int c = draw(256);
      sprintf(f, "c");
      BOTH(c);
      break;
    }
    case 4: {
      double d = real();
      sprintf(f, "%c", "fFeEgGaA"[draw(8)]);
      BOTH(d);
      break;
    }
    default: {
      void *p = draw(4) ? (void *)value() : NULL;
      sprintf(f, "p");
      BOTH(p);
    }
    }
    if (expected != got || memcmp(one, two, sizeof one)) {
      printf("\"%s\" (%d, %d, room %zu): expected %d \"%s\", got %d \"%s\"\n", format, stars[0], stars[1], room, expected,
             one, got, two);
      return 1;
    }
  }
  long double wide = 1.5L;
  int n = 0, m = 0;
  char *text = NULL;
  /* Several directives, a count, a long double, something left to the native function, and fresh memory. */
  snprintf(one, 100, "%d-%s%n|%Lf|%5.1f", 12, "ab", &n, wide, 2.25);
  M(snprintf)(two, 100, "%d-%s%n|%Lf|%5.1f", 12, "ab", &m, wide, 2.25);
  if (strcmp(one, two) || n != m)
    return printf("\"%s\" \"%s\"\n", one, two), 1;
  errno = ENOENT;
  sprintf(one, "%m %ls", L"wide");
  M(sprintf)(two, "%m %ls", L"wide");
  if (strcmp(one, two) || M(asprintf)(&text, "%08x", 0xbeef) != 8 || strcmp(text, "0000beef"))
    return printf("\"%s\" \"%s\"\n", one, two), 1;
  free(text);
  puts("agreed");
  return 0;
}
