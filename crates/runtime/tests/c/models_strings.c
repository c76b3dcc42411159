/* Compares models of string, memory, conversion, character and sorting functions with the native ones on
 * random arguments. Prints the first difference and fails. */
#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DECLARE(result, name, ...) result __symcrete_libc_##name(__VA_ARGS__);
#define M(name) __symcrete_libc_##name

static uint64_t state = 88172645463325252u;
static unsigned draw(unsigned n) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return (unsigned)(state >> 33) % n;
}

static void fail(const char *what, const char *a, const char *b, long expected, long got) {
  printf("%s(\"%s\", \"%s\"): expected %ld, got %ld\n", what, a, b, expected, got);
  exit(1);
}

static int sign(int x) { return (x > 0) - (x < 0); }

/* A string over a small alphabet, so that things are found; now and then any byte. */
static char *text(char *to, unsigned most) {
  static const char letters[] = "abAB-+0129xX \t,zZ.9f";
  unsigned n = draw(most);
  for (unsigned i = 0; i < n; i++)
    to[i] = draw(20) ? letters[draw(sizeof letters - 1)] : (char)(1 + draw(255));
  to[n] = 0;
  return to;
}

DECLARE(size_t, strlen, const char *)
DECLARE(size_t, strnlen, const char *, size_t)
DECLARE(int, strcmp, const char *, const char *)
DECLARE(int, strcoll, const char *, const char *)
DECLARE(int, strncmp, const char *, const char *, size_t)
DECLARE(int, strcasecmp, const char *, const char *)
DECLARE(int, strncasecmp, const char *, const char *, size_t)
DECLARE(int, memcmp, const void *, const void *, size_t)
DECLARE(int, bcmp, const void *, const void *, size_t)
DECLARE(char *, strchr, const char *, int)
DECLARE(char *, index, const char *, int)
DECLARE(char *, strrchr, const char *, int)
DECLARE(char *, rindex, const char *, int)
DECLARE(char *, strchrnul, const char *, int)
DECLARE(void *, memchr, const void *, int, size_t)
DECLARE(void *, memrchr, const void *, int, size_t)
DECLARE(void *, rawmemchr, const void *, int)
DECLARE(void *, memmem, const void *, size_t, const void *, size_t)
DECLARE(char *, strstr, const char *, const char *)
DECLARE(char *, strcasestr, const char *, const char *)
DECLARE(size_t, strspn, const char *, const char *)
DECLARE(size_t, strcspn, const char *, const char *)
DECLARE(char *, strpbrk, const char *, const char *)
DECLARE(char *, strcpy, char *, const char *)
DECLARE(char *, stpcpy, char *, const char *)
DECLARE(char *, strncpy, char *, const char *, size_t)
DECLARE(char *, stpncpy, char *, const char *, size_t)
DECLARE(char *, strcat, char *, const char *)
DECLARE(char *, strncat, char *, const char *, size_t)
DECLARE(void *, memccpy, void *, const void *, int, size_t)
DECLARE(void *, mempcpy, void *, const void *, size_t)
DECLARE(void *, memmove, void *, const void *, size_t)
DECLARE(void *, memset, void *, int, size_t)
DECLARE(char *, strdup, const char *)
DECLARE(char *, strndup, const char *, size_t)
DECLARE(char *, strtok, char *, const char *)
DECLARE(char *, strtok_r, char *, const char *, char **)
DECLARE(char *, strsep, char **, const char *)
DECLARE(long, strtol, const char *, char **, int)
DECLARE(unsigned long, strtoul, const char *, char **, int)
DECLARE(long long, strtoll, const char *, char **, int)
DECLARE(unsigned long long, strtoull, const char *, char **, int)
DECLARE(intmax_t, strtoimax, const char *, char **, int)
DECLARE(uintmax_t, strtoumax, const char *, char **, int)
DECLARE(long, __isoc23_strtol, const char *, char **, int)
DECLARE(unsigned long, __isoc23_strtoul, const char *, char **, int)
DECLARE(int, atoi, const char *)
DECLARE(long, atol, const char *)
DECLARE(long long, atoll, const char *)
DECLARE(int, abs, int)
DECLARE(long, labs, long)
DECLARE(long long, llabs, long long)
DECLARE(void, qsort, void *, size_t, size_t, int (*)(const void *, const void *))
DECLARE(void, qsort_r, void *, size_t, size_t, int (*)(const void *, const void *, void *), void *)
DECLARE(void *, bsearch, const void *, const void *, size_t, size_t, int (*)(const void *, const void *))

#define SAME(name, a, b, ...)                                                                                \
  do {                                                                                                       \
    long expected = (long)name(__VA_ARGS__), got = (long)M(name)(__VA_ARGS__);                               \
    if (expected != got)                                                                                     \
      fail(#name, a, b, expected, got);                                                                      \
  } while (0)
#define SAME_SIGN(name, a, b, ...)                                                                           \
  do {                                                                                                       \
    long expected = sign(name(__VA_ARGS__)), got = sign(M(name)(__VA_ARGS__));                               \
    if (expected != got)                                                                                     \
      fail(#name, a, b, expected, got);                                                                      \
  } while (0)

static void looking(void) {
  char a[40], b[40];
  text(a, 24);
  if (draw(3))
    text(b, draw(2) ? 4 : 24);
  else
    strcpy(b, a + draw(strlen(a) + 1));
  if (draw(4) == 0)
    a[draw(strlen(a) + 1)] = 0;
  size_t n = draw(26);
  int c = draw(3) ? (unsigned char)a[draw(strlen(a) + 1)] : (int)draw(600) - 40;
  SAME(strlen, a, b, a);
  SAME(strnlen, a, b, a, n);
  SAME_SIGN(strcmp, a, b, a, b);
  SAME_SIGN(strcoll, a, b, a, b);
  SAME_SIGN(strncmp, a, b, a, b, n);
  SAME_SIGN(strcasecmp, a, b, a, b);
  SAME_SIGN(strncasecmp, a, b, a, b, n);
  SAME_SIGN(memcmp, a, b, a, b, n < 24 ? n : 24);
  if (!bcmp(a, b, n) != !M(bcmp)(a, b, n))
    fail("bcmp", a, b, 0, 0);
  SAME(strchr, a, b, a, c);
  SAME(index, a, b, a, c);
  SAME(strrchr, a, b, a, c);
  SAME(rindex, a, b, a, c);
  SAME(strchrnul, a, b, a, c);
  SAME(memchr, a, b, a, c, n);
  SAME(memrchr, a, b, a, c, n);
  int present = a[draw(strlen(a) + 1)];
  size_t few = draw(5);
  SAME(rawmemchr, a, b, a, present);
  SAME(memmem, a, b, a, n, b, few);
  SAME(strstr, a, b, a, b);
  SAME(strcasestr, a, b, a, b);
  SAME(strspn, a, b, a, b);
  SAME(strcspn, a, b, a, b);
  SAME(strpbrk, a, b, a, b);
}

/* Both into their own memory; memory and result have to agree. */
#define COPIES(name, ...)                                                                                    \
  do {                                                                                                       \
    char one[200], two[200];                                                                                 \
    memset(one, 'q', 200), memset(two, 'q', 200);                                                            \
    strcpy(one, b), strcpy(two, b);                                                                          \
    char *to = one;                                                                                          \
    char *expected = (char *)name(__VA_ARGS__);                                                              \
    to = two;                                                                                                \
    char *got = (char *)M(name)(__VA_ARGS__);                                                                \
    if (memcmp(one, two, 200) || (expected ? expected - one : -1) != (got ? got - two : -1))                 \
      fail(#name, a, b, expected - one, got - two);                                                          \
  } while (0)

static void copying(void) {
  char a[40], b[40];
  text(a, 30), text(b, 30);
  size_t n = draw(36);
  int c = a[draw(strlen(a) + 1)];
  COPIES(strcpy, to, a);
  COPIES(stpcpy, to, a);
  COPIES(strncpy, to, a, n);
  COPIES(stpncpy, to, a, n);
  COPIES(strcat, to, a);
  COPIES(strncat, to, a, n);
  COPIES(memccpy, to, a, c, n < 31 ? n : 31);
  COPIES(mempcpy, to, a, n);
  COPIES(memset, to, c, n);
  COPIES(memmove, to, to + 3, n);
  COPIES(memmove, to + 3, to, n);
  char *copy = M(strdup)(a);
  if (strcmp(copy, a))
    fail("strdup", a, copy, 0, 1);
  free(copy);
  copy = M(strndup)(a, n);
  char *expected = strndup(a, n);
  if (strcmp(copy, expected))
    fail("strndup", a, copy, 0, 1);
  free(copy), free(expected);
}

static void tokens(void) {
  char one[60], two[60], three[60], set[8], *rest_one, *rest_two;
  text(one, 50), text(set, 5);
  strcpy(two, one), strcpy(three, one);
  char *p = one, *q = two;
  do {
    p = strtok_r(p == one ? one : NULL, set, &rest_one);
    char *r = M(strtok)(q == two ? three : NULL, set);
    q = M(strtok_r)(q == two ? two : NULL, set, &rest_two);
    if ((p ? p - one : -1) != (q ? q - two : -1) || (p && strcmp(p, q)) || (p ? p - one : -1) != (r ? r - three : -1))
      fail("strtok", one, set, p - one, q - two);
    if (!p)
      break;
    if (p == one)
      p = one + 1, q = two + 1;
  } while (1);
  text(one, 50);
  strcpy(two, one);
  p = one, q = two;
  while (p) {
    char *x = strsep(&p, set), *y = M(strsep)(&q, set);
    if (x - one != y - two || strcmp(x, y) || !p != !q)
      fail("strsep", one, set, x - one, y - two);
  }
}

static char *number(char *to) {
  static const char *const some[] = {"9223372036854775807", "9223372036854775808", "-9223372036854775808",
                                     "-9223372036854775809", "18446744073709551615", "18446744073709551616",
                                     "-18446744073709551615", "0x", "0xg", "-0x7fffffffffffffff", "00", "", "+", "-",
                                     "2147483648", "0b101", "0b2"};
  if (draw(3) == 0) {
    strcpy(to, some[draw(sizeof some / sizeof *some)]);
    if (draw(2))
      strcat(to, draw(2) ? "x" : "0");
    return to;
  }
  static const char digits[] = "0123456789abcfxzZF+- ";
  unsigned n = draw(24);
  for (unsigned i = 0; i < n; i++)
    to[i] = digits[draw(draw(3) ? 10 : sizeof digits - 1)];
  to[n] = 0;
  return to;
}

#define CONVERTS(name)                                                                                       \
  do {                                                                                                       \
    char *end_one = 0, *end_two = 0;                                                                         \
    errno = 0;                                                                                               \
    long expected = (long)name(a, &end_one, base);                                                           \
    int errno_one = errno;                                                                                   \
    errno = 0;                                                                                               \
    long got = (long)M(name)(a, &end_two, base);                                                             \
    if (expected != got || (end_one != end_two && errno_one != EINVAL) || errno_one != errno)                \
      fail(#name, a, end_two, expected, got);                                                                \
  } while (0)

static void converting(void) {
  static const int bases[] = {0, 2, 8, 10, 10, 16, 36, 7, 1, 37, -1};
  char a[60] = "";
  if (draw(5) == 0)
    strcpy(a, draw(2) ? "  \t" : "\n-");
  number(a + strlen(a));
  int base = bases[draw(11)];
  CONVERTS(strtol);
  CONVERTS(strtoul);
  CONVERTS(strtoll);
  CONVERTS(strtoull);
  CONVERTS(strtoimax);
  CONVERTS(strtoumax);
  SAME(atoi, a, "", a);
  SAME(atol, a, "", a);
  SAME(atoll, a, "", a);
}

static void binary_prefix(void) {
  char *end;
  const char *const texts[] = {"0b101x", "0B11", "0b", "0b2", "-0b1"};
  const long values[] = {5, 3, 0, 0, -1}, ends[] = {5, 4, 1, 1, 4};
  for (int i = 0; i < 5; i++)
    for (int base = 0; base <= 2; base += 2) {
      long got = M(__isoc23_strtol)(texts[i], &end, base);
      if (got != values[i] || end - texts[i] != ends[i])
        fail("__isoc23_strtol", texts[i], end, values[i], got);
    }
  if (M(__isoc23_strtoul)("0b1111", NULL, 0) != 15)
    fail("__isoc23_strtoul", "0b1111", "", 15, 0);
}

#define CLASS(name)                                                                                          \
  int __symcrete_libc_##name(int);                                                                           \
  static int native_##name(int c) { return name(c); }
CLASS(isalnum) CLASS(isalpha) CLASS(isblank) CLASS(iscntrl) CLASS(isdigit) CLASS(isgraph) CLASS(islower)
CLASS(isprint) CLASS(ispunct) CLASS(isspace) CLASS(isupper) CLASS(isxdigit) CLASS(tolower) CLASS(toupper)
CLASS(isascii) CLASS(toascii)

static void classes(void) {
#define C(name) {#name, native_##name, __symcrete_libc_##name}
  static const struct {
    const char *name;
    int (*native)(int), (*model)(int);
  } all[] = {C(isalnum), C(isalpha), C(isblank), C(iscntrl), C(isdigit),  C(isgraph), C(islower), C(isprint),
             C(ispunct), C(isspace), C(isupper), C(isxdigit), C(tolower), C(toupper), C(isascii), C(toascii)};
  for (unsigned i = 0; i < sizeof all / sizeof *all; i++)
    for (int c = -1; c < 256; c++)
      if (all[i].native(c) != all[i].model(c))
        fail(all[i].name, "", "", all[i].native(c), all[i].model(c));
}

/* Elements that compare equal differ, so that stability shows. */
struct element {
  int key, tag;
  char more[5];
};
static long calls;
static int by_key(const void *a, const void *b) {
  int x = ((const struct element *)a)->key, y = ((const struct element *)b)->key;
  calls = calls * 31 + x * 7 + y;
  return (x > y) - (x < y);
}
static int by_key_with(const void *a, const void *b, void *with) { return *(int *)with * by_key(a, b); }
static int ints(const void *a, const void *b) { return *(const int *)a < *(const int *)b ? -1 : *(const int *)a > *(const int *)b; }

static void sorting(void) {
  struct element one[50], two[50];
  unsigned n = draw(50);
  for (unsigned i = 0; i < n; i++) {
    memset(&one[i], 0, sizeof one[i]);
    one[i].key = draw(20), one[i].tag = i;
  }
  memcpy(two, one, sizeof one);
  calls = 0;
  int order = draw(2) ? 1 : -1;
  if (draw(2))
    qsort(one, n, sizeof *one, by_key);
  else
    order = 1, qsort_r(one, n, sizeof *one, by_key_with, &order);
  long expected = calls;
  calls = 0;
  M(qsort)(two, n, sizeof *two, by_key);
  if (memcmp(one, two, n * sizeof *one) || calls != expected)
    fail("qsort", "", "", expected, calls);
  order = -1;
  qsort_r(one, n, sizeof *one, by_key_with, &order);
  M(qsort_r)(two, n, sizeof *two, by_key_with, &order);
  if (memcmp(one, two, n * sizeof *one))
    fail("qsort_r", "", "", 0, 1);
  int sorted[40], m = draw(40), key = draw(60);
  for (int i = 0; i < m; i++)
    sorted[i] = draw(60);
  qsort(sorted, m, sizeof *sorted, ints);
  SAME(bsearch, "", "", &key, sorted, m, sizeof *sorted, ints);
  int x = (int)((unsigned)draw(65536) << 16 | draw(65536));
  SAME(abs, "", "", x == INT32_MIN ? 0 : x);
  SAME(labs, "", "", (long)x << 16);
  SAME(llabs, "", "", (long long)x << 24);
}

int main(int argc, char **argv) {
  long rounds = argc > 1 ? atol(argv[1]) : 20000;
  for (long i = 0; i < rounds; i++) {
    looking();
    copying();
    tokens();
    converting();
    if (i % 20 == 0)
      sorting();
  }
  classes();
  binary_prefix();
  puts("agreed");
  return 0;
}
