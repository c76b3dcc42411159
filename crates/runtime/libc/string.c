/* Models: functions on strings that only look, and those that copy. */
#include "model.h"
#include "native.h"

typedef unsigned char byte;

size_t MODEL(strlen)(const char *s);
size_t MODEL(strnlen)(const char *s, size_t n);
int MODEL(strcmp)(const char *a, const char *b);
int MODEL(strcoll)(const char *a, const char *b);
int MODEL(strncmp)(const char *a, const char *b, size_t n);
int MODEL(strcasecmp)(const char *a, const char *b);
int MODEL(strncasecmp)(const char *a, const char *b, size_t n);
char *MODEL(strcpy)(char *to, const char *from);
char *MODEL(stpcpy)(char *to, const char *from);
char *MODEL(strncpy)(char *to, const char *from, size_t n);
char *MODEL(stpncpy)(char *to, const char *from, size_t n);
char *MODEL(strcat)(char *to, const char *from);
char *MODEL(strncat)(char *to, const char *from, size_t n);
char *MODEL(strdup)(const char *s);
char *MODEL(strndup)(const char *s, size_t n);

size_t MODEL(strlen)(const char *s) {
  size_t n = NATIVE(strlen)(s);
  if (__symcrete_model_clean(s, n + 1))
    return n;
  const char *p = s;
  while (*p)
    p++;
  return p - s;
}

size_t MODEL(strnlen)(const char *s, size_t n) {
  size_t i = 0;
  while (i < n && s[i])
    i++;
  return i;
}

/* Of two equal characters either tells whether the string ends here; the one that is no input does so
 * without a decision. */
static const byte *steadier(const byte *a, const byte *b) { return __symcrete_model_clean(b, 1) ? b : a; }

int MODEL(strcmp)(const char *a, const char *b) {
  const byte *p = (const byte *)a, *q = (const byte *)b, *end = steadier(p, q);
  __symcrete_model_wish(a, b, SIZE_MAX, 1);
  size_t i = 0;
  for (; p[i] == q[i]; i++)
    if (!end[i])
      return 0;
  return p[i] - q[i];
}

/* In the C locale, and in those whose order is that of the bytes. */
int MODEL(strcoll)(const char *a, const char *b) { return MODEL(strcmp)(a, b); }

int MODEL(strncmp)(const char *a, const char *b, size_t n) {
  const byte *p = (const byte *)a, *q = (const byte *)b;
  if (n == 0)
    return 0;
  const byte *end = steadier(p, q);
  __symcrete_model_wish(a, b, n, 1);
  for (size_t i = 0; i < n; i++) {
    if (p[i] != q[i])
      return p[i] - q[i];
    if (!end[i])
      return 0;
  }
  return 0;
}

/* Without a decision, and in a form that the compiler does not turn into one: the letters differ in one
 * bit, set where `c - 'A'` is not negative and `c - 'A' - 26` is. */
static int lower(int c) {
  unsigned from = (unsigned)c - 'A';
  return c | (int)((from - 26 & ~from) >> 26 & 32);
}

int MODEL(strcasecmp)(const char *a, const char *b) {
  const byte *p = (const byte *)a, *q = (const byte *)b, *end = steadier(p, q);
  __symcrete_model_wish(a, b, SIZE_MAX, 1);
  size_t i = 0;
  for (; lower(p[i]) == lower(q[i]); i++)
    if (!end[i])
      return 0;
  return lower(p[i]) - lower(q[i]);
}

int MODEL(strncasecmp)(const char *a, const char *b, size_t n) {
  const byte *p = (const byte *)a, *q = (const byte *)b;
  if (n == 0)
    return 0;
  const byte *end = steadier(p, q);
  __symcrete_model_wish(a, b, n, 1);
  for (size_t i = 0; i < n; i++) {
    if (lower(p[i]) != lower(q[i]))
      return lower(p[i]) - lower(q[i]);
    if (!end[i])
      return 0;
  }
  return 0;
}

char *MODEL(stpcpy)(char *to, const char *from) {
  while ((*to = *from))
    to++, from++;
  return to;
}

char *MODEL(strcpy)(char *to, const char *from) {
  MODEL(stpcpy)(to, from);
  return to;
}

char *MODEL(stpncpy)(char *to, const char *from, size_t n) {
  size_t i = 0;
  for (; i < n && from[i]; i++)
    to[i] = from[i];
  char *end = to + i;
  for (; i < n; i++)
    to[i] = 0;
  return end;
}

char *MODEL(strncpy)(char *to, const char *from, size_t n) {
  MODEL(stpncpy)(to, from, n);
  return to;
}

char *MODEL(strcat)(char *to, const char *from) {
  MODEL(stpcpy)(to + MODEL(strlen)(to), from);
  return to;
}

char *MODEL(strncat)(char *to, const char *from, size_t n) {
  char *end = to + MODEL(strlen)(to);
  for (; n > 0 && *from; n--)
    *end++ = *from++;
  *end = 0;
  return to;
}

/* The size is decided by the branches of the length, and so known. */
static char *copy_of(const char *s, size_t n) {
  size_t size = __symcrete_model_fix(n, LOST_ALLOCATION);
  char *copy = NATIVE(malloc)(size + 1);
  if (copy) {
    __symcrete_model_clear(copy, size + 1);
    COPY(copy, s, size);
    copy[size] = 0;
  }
  return copy;
}

char *MODEL(strdup)(const char *s) { return copy_of(s, MODEL(strlen)(s)); }

char *MODEL(strndup)(const char *s, size_t n) { return copy_of(s, MODEL(strnlen)(s, n)); }
