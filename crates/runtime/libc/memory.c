/* Models: functions on blocks of memory. */
#include "model.h"
#include "native.h"

typedef unsigned char byte;

void *MODEL(memcpy)(void *to, const void *from, size_t n);
void *MODEL(memmove)(void *to, const void *from, size_t n);
void *MODEL(mempcpy)(void *to, const void *from, size_t n);
void *MODEL(memset)(void *to, int c, size_t n);
void MODEL(bzero)(void *to, size_t n);
void MODEL(bcopy)(const void *from, void *to, size_t n);
int MODEL(memcmp)(const void *a, const void *b, size_t n);
int MODEL(bcmp)(const void *a, const void *b, size_t n);
void *MODEL(memchr)(const void *p, int c, size_t n);
void *MODEL(memrchr)(const void *p, int c, size_t n);
void *MODEL(rawmemchr)(const void *p, int c);
void *MODEL(memmem)(const void *hay, size_t hay_size, const void *needle, size_t needle_size);
void *MODEL(memccpy)(void *to, const void *from, int c, size_t n);

void *MODEL(memcpy)(void *to, const void *from, size_t n) {
  COPY(to, from, n);
  return to;
}

void *MODEL(memmove)(void *to, const void *from, size_t n) {
  MOVE(to, from, n);
  return to;
}

void *MODEL(mempcpy)(void *to, const void *from, size_t n) {
  COPY(to, from, n);
  return (byte *)to + n;
}

void *MODEL(memset)(void *to, int c, size_t n) {
  FILL(to, c, n);
  return to;
}

void MODEL(bzero)(void *to, size_t n) { FILL(to, 0, n); }

void MODEL(bcopy)(const void *from, void *to, size_t n) { MOVE(to, from, n); }

int MODEL(memcmp)(const void *a, const void *b, size_t n) {
  const byte *p = a, *q = b;
  if (__symcrete_model_clean(p, n) && __symcrete_model_clean(q, n))
    return NATIVE(memcmp)(a, b, n);
  __symcrete_model_wish(p, q, n, 0);
  for (size_t i = 0; i < n; i++)
    if (p[i] != q[i])
      return p[i] - q[i];
  return 0;
}

int MODEL(bcmp)(const void *a, const void *b, size_t n) { return MODEL(memcmp)(a, b, n); }

void *MODEL(memchr)(const void *p, int c, size_t n) {
  const byte *s = p;
  for (size_t i = 0; i < n; i++)
    if (s[i] == (byte)c)
      return (void *)(s + i);
  return NULL;
}

void *MODEL(memrchr)(const void *p, int c, size_t n) {
  const byte *s = p;
  while (n-- > 0)
    if (s[n] == (byte)c)
      return (void *)(s + n);
  return NULL;
}

void *MODEL(rawmemchr)(const void *p, int c) {
  const byte *s = p;
  while (*s != (byte)c)
    s++;
  return (void *)s;
}

void *MODEL(memmem)(const void *hay, size_t hay_size, const void *needle, size_t needle_size) {
  const byte *h = hay, *w = needle;
  for (size_t at = 0; at + needle_size <= hay_size; at++) {
    size_t i = 0;
    while (i < needle_size && h[at + i] == w[i])
      i++;
    if (i == needle_size)
      return (void *)(h + at);
  }
  return NULL;
}

void *MODEL(memccpy)(void *to, const void *from, int c, size_t n) {
  byte *t = to;
  const byte *f = from;
  for (size_t i = 0; i < n; i++) {
    t[i] = f[i];
    if (f[i] == (byte)c)
      return t + i + 1;
  }
  return NULL;
}
