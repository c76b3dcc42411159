/* Models: functions that look for something in a string. */
#include "model.h"

typedef unsigned char byte;

char *MODEL(strchr)(const char *s, int c);
char *MODEL(index)(const char *s, int c);
char *MODEL(strchrnul)(const char *s, int c);
char *MODEL(strrchr)(const char *s, int c);
char *MODEL(rindex)(const char *s, int c);
char *MODEL(strstr)(const char *hay, const char *needle);
char *MODEL(strcasestr)(const char *hay, const char *needle);
size_t MODEL(strspn)(const char *s, const char *set);
size_t MODEL(strcspn)(const char *s, const char *set);
char *MODEL(strpbrk)(const char *s, const char *set);
char *MODEL(strtok_r)(char *s, const char *set, char **rest);
char *MODEL(strtok)(char *s, const char *set);
char *MODEL(strsep)(char **s, const char *set);

char *MODEL(strchrnul)(const char *s, int c) {
  while (*s && *s != (char)c)
    s++;
  return (char *)s;
}

char *MODEL(strchr)(const char *s, int c) {
  for (;; s++) {
    if (*s == (char)c)
      return (char *)s;
    if (!*s)
      return NULL;
  }
}

char *MODEL(index)(const char *s, int c) { return MODEL(strchr)(s, c); }

char *MODEL(strrchr)(const char *s, int c) {
  const char *last = NULL;
  for (;; s++) {
    if (*s == (char)c)
      last = s;
    if (!*s)
      return (char *)last;
  }
}

char *MODEL(rindex)(const char *s, int c) { return MODEL(strrchr)(s, c); }

static int lower(int c) { return (unsigned)c - 'A' < 26 ? c + ('a' - 'A') : c; }

char *MODEL(strstr)(const char *hay, const char *needle) {
  for (;; hay++) {
    size_t i = 0;
    while (needle[i] && hay[i] == needle[i])
      i++;
    if (!needle[i])
      return (char *)hay;
    if (!hay[i])
      return NULL;
  }
}

char *MODEL(strcasestr)(const char *hay, const char *needle) {
  for (;; hay++) {
    size_t i = 0;
    while (needle[i] && lower((byte)hay[i]) == lower((byte)needle[i]))
      i++;
    if (!needle[i])
      return (char *)hay;
    if (!hay[i])
      return NULL;
  }
}

static int within(char c, const char *set) {
  for (; *set; set++)
    if (c == *set)
      return 1;
  return 0;
}

size_t MODEL(strspn)(const char *s, const char *set) {
  size_t n = 0;
  while (s[n] && within(s[n], set))
    n++;
  return n;
}

size_t MODEL(strcspn)(const char *s, const char *set) {
  size_t n = 0;
  while (s[n] && !within(s[n], set))
    n++;
  return n;
}

char *MODEL(strpbrk)(const char *s, const char *set) {
  s += MODEL(strcspn)(s, set);
  return *s ? (char *)s : NULL;
}

char *MODEL(strtok_r)(char *s, const char *set, char **rest) {
  if (!s)
    s = *rest;
  s += MODEL(strspn)(s, set);
  if (!*s) {
    *rest = s;
    return NULL;
  }
  char *end = s + MODEL(strcspn)(s, set);
  if (*end)
    *end++ = 0;
  *rest = end;
  return s;
}

char *MODEL(strtok)(char *s, const char *set) {
  static char *rest;
  /* Before the first call there is nothing to go on with. */
  if (!s && !rest)
    return NULL;
  return MODEL(strtok_r)(s, set, &rest);
}

char *MODEL(strsep)(char **s, const char *set) {
  char *begin = *s;
  if (!begin)
    return NULL;
  char *end = begin + MODEL(strcspn)(begin, set);
  if (*end) {
    *end = 0;
    *s = end + 1;
  } else {
    *s = NULL;
  }
  return begin;
}
