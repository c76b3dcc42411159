/* Models: whole numbers out of strings; floats.c has the others. */
#include "characters.h"
#include "model.h"
#include "model_errno.h"
#include <limits.h>
#include <stdlib.h>

long MODEL(strtol)(const char *s, char **end, int base);
unsigned long MODEL(strtoul)(const char *s, char **end, int base);
long long MODEL(strtoll)(const char *s, char **end, int base);
unsigned long long MODEL(strtoull)(const char *s, char **end, int base);
intmax_t MODEL(strtoimax)(const char *s, char **end, int base);
uintmax_t MODEL(strtoumax)(const char *s, char **end, int base);
long MODEL(__isoc23_strtol)(const char *s, char **end, int base);
unsigned long MODEL(__isoc23_strtoul)(const char *s, char **end, int base);
long long MODEL(__isoc23_strtoll)(const char *s, char **end, int base);
unsigned long long MODEL(__isoc23_strtoull)(const char *s, char **end, int base);
int MODEL(atoi)(const char *s);
long MODEL(atol)(const char *s);
long long MODEL(atoll)(const char *s);
int MODEL(abs)(int x);
long MODEL(labs)(long x);
long long MODEL(llabs)(long long x);

struct number {
  unsigned long magnitude;
  int negative, overflow;
  /* So many digits that it may be too large for a signed number. */
  int large;
};

/* Reads sign, prefix and digits. `end` is where the number ends, or `s` if there is none. C23 added the
 * prefix of binary numbers. */
static struct number scan(const char *s, char **end, int base, int binary) {
  struct number result = {0, 0, 0, 0};
  const char *p = s;
  unsigned value;
  if (end)
    *end = (char *)s;
  if (base < 0 || base == 1 || base > 36) {
    errno = EINVAL;
    return result;
  }
  while (is_space(*p))
    p++;
  if (*p == '-') {
    result.negative = 1;
    p++;
  } else if (*p == '+') {
    p++;
  }
  if ((base == 0 || base == 16) && *p == '0' && (p[1] | 32) == 'x' && is_digit(p[2], 16, &value)) {
    p += 2;
    base = 16;
  } else if (binary && (base == 0 || base == 2) && *p == '0' && (p[1] | 32) == 'b' && is_digit(p[2], 2, &value)) {
    p += 2;
    base = 2;
  } else if (base == 0) {
    base = *p == '0' ? 8 : 10;
  }
  unsigned radix = (unsigned)base;
  unsigned long most = ULONG_MAX / radix, last = ULONG_MAX % radix;
  /* So many digits cannot be too large, whatever they are. */
  const char *first = p, *safe = p + (radix <= 10 ? 18 : 12);
  for (;; p++) {
    if (!is_digit(*p, radix, &value))
      break;
    if (result.overflow)
      continue;
    if (p >= safe) {
      result.large = 1;
      if (result.magnitude > most || (result.magnitude == most && value > last)) {
        result.overflow = 1;
        continue;
      }
    }
    result.magnitude = result.magnitude * radix + value;
  }
  if (end && p != first)
    *end = (char *)p;
  return result;
}

static long to_signed(struct number n) {
  unsigned long limit = (unsigned long)LONG_MAX + (unsigned)n.negative;
  if (n.overflow || (n.large && n.magnitude > limit)) {
    errno = ERANGE;
    return n.negative ? LONG_MIN : LONG_MAX;
  }
  return n.negative ? (long)(0 - n.magnitude) : (long)n.magnitude;
}

static unsigned long to_unsigned(struct number n) {
  if (n.overflow) {
    errno = ERANGE;
    return ULONG_MAX;
  }
  return n.negative ? 0 - n.magnitude : n.magnitude;
}

long MODEL(strtol)(const char *s, char **end, int base) { return to_signed(scan(s, end, base, 0)); }
unsigned long MODEL(strtoul)(const char *s, char **end, int base) { return to_unsigned(scan(s, end, base, 0)); }
long long MODEL(strtoll)(const char *s, char **end, int base) { return to_signed(scan(s, end, base, 0)); }
unsigned long long MODEL(strtoull)(const char *s, char **end, int base) {
  return to_unsigned(scan(s, end, base, 0));
}
intmax_t MODEL(strtoimax)(const char *s, char **end, int base) { return to_signed(scan(s, end, base, 0)); }
uintmax_t MODEL(strtoumax)(const char *s, char **end, int base) { return to_unsigned(scan(s, end, base, 0)); }

long MODEL(__isoc23_strtol)(const char *s, char **end, int base) { return to_signed(scan(s, end, base, 1)); }
unsigned long MODEL(__isoc23_strtoul)(const char *s, char **end, int base) {
  return to_unsigned(scan(s, end, base, 1));
}
long long MODEL(__isoc23_strtoll)(const char *s, char **end, int base) { return to_signed(scan(s, end, base, 1)); }
unsigned long long MODEL(__isoc23_strtoull)(const char *s, char **end, int base) {
  return to_unsigned(scan(s, end, base, 1));
}

int MODEL(atoi)(const char *s) { return (int)to_signed(scan(s, NULL, 10, 0)); }
long MODEL(atol)(const char *s) { return to_signed(scan(s, NULL, 10, 0)); }
long long MODEL(atoll)(const char *s) { return to_signed(scan(s, NULL, 10, 0)); }

int MODEL(abs)(int x) { return x < 0 ? (int)(0 - (unsigned)x) : x; }
long MODEL(labs)(long x) { return x < 0 ? (long)(0 - (unsigned long)x) : x; }
long long MODEL(llabs)(long long x) { return x < 0 ? (long long)(0 - (unsigned long long)x) : x; }
