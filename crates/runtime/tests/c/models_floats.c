/* Compares the models that read floats with the native ones: value, end, errno, and the value they compute
 * themselves before the native one takes its place. */
#define _GNU_SOURCE
#include "stubs.h"
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define M(name) __symcrete_libc_##name
double M(strtod)(const char *, char **);
float M(strtof)(const char *, char **);
double M(atof)(const char *);
int M(sscanf)(const char *, const char *, ...);

static uint64_t state = 0x9e3779b97f4a7c15u;
static unsigned draw(unsigned n) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return (unsigned)(state >> 33) % n;
}

static void fail(const char *what, const char *text, double expected, double got) {
  printf("%s(\"%s\"): %a expected, %a got\n", what, text, expected, got);
  exit(1);
}

/* Mostly numbers; also their beginnings, other forms, and rubbish. */
static void number(char *to) {
  static const char *const words[] = {"inf", "-nan", "nan(12)", "0x1p3", "1e", "1e+", ".", "-.e5", "0e99999", "e5",
                                      "infinity", "0x", "0x.8", "1e-400", "9e999", "", "+", "00.00"};
  if (draw(10) == 0) {
    strcpy(to, words[draw(18)]);
    return;
  }
  char *p = to;
  for (unsigned n = draw(8) ? 0 : draw(3); n > 0; n--)
    *p++ = " \t\n"[draw(3)];
  if (draw(3) == 0)
    *p++ = "+-"[draw(2)];
  for (unsigned n = draw(draw(4) ? 8 : 22); n > 0; n--)
    *p++ = '0' + draw(10) * (draw(5) != 0);
  if (draw(2))
    *p++ = '.';
  for (unsigned n = draw(draw(4) ? 6 : 22); n > 0; n--)
    *p++ = '0' + draw(10);
  if (draw(3) == 0)
    p += sprintf(p, "%c%d", "eE"[draw(2)], (int)draw(draw(3) ? 50 : 700) - 25);
  if (draw(4) == 0)
    *p++ = "xe.-5"[draw(5)];
  *p = 0;
}

#define SAME(name)                                                                                           \
  do {                                                                                                       \
    char *end_one, *end_two;                                                                                 \
    errno = 0;                                                                                               \
    __typeof__(name(text, 0)) expected = name(text, &end_one);                                               \
    int errno_one = errno;                                                                                   \
    errno = 0;                                                                                               \
    __typeof__(expected) got = M(name)(text, &end_two);                                                      \
    if (memcmp(&expected, &got, sizeof got) || end_one != end_two || errno != errno_one || unsettled)        \
      fail(#name, text, expected, unsettled ? __builtin_nan("") : got);                                      \
  } while (0)

#define SCANS(type, format)                                                                                  \
  do {                                                                                                       \
    type expected = 7, got = 7;                                                                              \
    int one = sscanf(text, format, &expected), two = M(sscanf)(text, format, &got);                          \
    if (one != two || expected != got)                                                                       \
      fail("sscanf " format, text, (double)expected, (double)got);                                           \
  } while (0)

int main(int argc, char **argv) {
  long rounds = argc > 1 ? atol(argv[1]) : 20000;
  for (long i = 0; i < rounds; i++) {
    char text[120];
    number(text);
    SAME(strtod);
    SAME(strtof);
    double expected = atof(text), got = M(atof)(text);
    if (memcmp(&expected, &got, sizeof got))
      fail("atof", text, expected, got);
    /* What the model of scanf does not know: names, hexadecimal numbers, unfinished exponents. */
    size_t plain = strspn(text, " \t\n+-0123456789.");
    if (text[plain] == 0) {
      SCANS(double, "%lf");
      SCANS(float, "%f");
      SCANS(long double, "%Lf");
    }
  }
  puts("agreed");
  return 0;
}
