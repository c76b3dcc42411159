/* Models: functions that look for something in a string. */
#include "characters.h"
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

/* Without a decision, and in a form that the compiler does not turn into one: the letters differ in one
 * bit, set where `c - 'A'` is not negative and `c - 'A' - 26` is. */
static int lower(int c) {
  unsigned from = (unsigned)c - 'A';
  return c | (int)((from - 26 & ~from) >> 26 & 32);
}

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

/* The first character from `s` on that is in the set or ends the string; which of them is said by `ends`, so
 * that nobody has to decide it again. */
static char *stop(const char *s, const char *set, int *ends) {
  for (;; s++) {
    if (!*s) {
      *ends = 1;
      return (char *)s;
    }
    if (is_one_of(*s, set)) {
      *ends = 0;
      return (char *)s;
    }
  }
}

size_t MODEL(strspn)(const char *s, const char *set) {
  size_t n = 0;
  while (is_one_of(s[n], set))
    n++;
  return n;
}

size_t MODEL(strcspn)(const char *s, const char *set) {
  int ends;
  return stop(s, set, &ends) - s;
}

char *MODEL(strpbrk)(const char *s, const char *set) {
  int ends;
  char *found = stop(s, set, &ends);
  return ends ? NULL : found;
}

char *MODEL(strtok_r)(char *s, const char *set, char **rest) {
  if (!s)
    s = *rest;
  s += MODEL(strspn)(s, set);
  if (!*s) {
    *rest = s;
    return NULL;
  }
  int ends;
  char *end = stop(s + 1, set, &ends);
  if (!ends)
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
  int ends;
  char *end = stop(begin, set, &ends);
  if (!ends) {
    *end = 0;
    *s = end + 1;
  } else {
    *s = NULL;
  }
  return begin;
}
