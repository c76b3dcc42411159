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

int MODEL(strcmp)(const char *a, const char *b) {
  const byte *p = (const byte *)a, *q = (const byte *)b;
  while (*p == *q) {
    if (!*p)
      return 0;
    p++, q++;
  }
  return *p - *q;
}

/* In the C locale, and in those whose order is that of the bytes. */
int MODEL(strcoll)(const char *a, const char *b) { return MODEL(strcmp)(a, b); }

int MODEL(strncmp)(const char *a, const char *b, size_t n) {
  const byte *p = (const byte *)a, *q = (const byte *)b;
  for (; n > 0; n--, p++, q++) {
    if (*p != *q)
      return *p - *q;
    if (!*p)
      return 0;
  }
  return 0;
}

static int lower(int c) { return (unsigned)c - 'A' < 26 ? c + ('a' - 'A') : c; }

int MODEL(strcasecmp)(const char *a, const char *b) {
  const byte *p = (const byte *)a, *q = (const byte *)b;
  while (lower(*p) == lower(*q)) {
    if (!*p)
      return 0;
    p++, q++;
  }
  return lower(*p) - lower(*q);
}

int MODEL(strncasecmp)(const char *a, const char *b, size_t n) {
  const byte *p = (const byte *)a, *q = (const byte *)b;
  for (; n > 0; n--, p++, q++) {
    if (lower(*p) != lower(*q))
      return lower(*p) - lower(*q);
    if (!*p)
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
