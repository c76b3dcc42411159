/* Models: the scanf family, over streams and strings. Integers, characters, strings and sets are followed;
 * floats are, like those of strtod. */
#include "characters.h"
#include "stream.h"
#include "model_errno.h"
#include <limits.h>
#include <stdlib.h>
#include <wchar.h>

double MODEL(strtod)(const char *s, char **end);
float MODEL(strtof)(const char *s, char **end);

struct source {
  FILE *file;
  const char *text;
  long taken;
  /* The current directive met the end of the input before its first character. */
  int at_end;
};

static int next(struct source *s) {
  int c;
  if (s->file)
    c = symcrete_stream_get(s->file);
  else if ((c = (unsigned char)*s->text))
    s->text++;
  else
    c = EOF;
  if (c != EOF)
    s->taken++;
  return c;
}

static void back(struct source *s, int c) {
  if (c == EOF)
    return;
  s->taken--;
  if (s->file)
    symcrete_stream_unget(c, s->file);
  else
    s->text--;
}

static void skip_space(struct source *s) {
  int c;
  do
    c = next(s);
  while (c != EOF && is_space(c));
  back(s, c);
}

/* One directive: `%`, maybe `*`, width, length, conversion. */
struct directive {
  int discard, width, length;
  char conversion;
};

enum { CHAR = -2, SHORT = -1, PLAIN = 0, LONG = 1, LONG_LONG = 2, LONG_DOUBLE = 3 };

static const char *parse(const char *f, struct directive *d) {
  *d = (struct directive){0, 0, PLAIN, 0};
  if (*f == '*') {
    d->discard = 1;
    f++;
  }
  while ((unsigned)*f - '0' < 10)
    d->width = d->width * 10 + (*f++ - '0');
  for (;; f++) {
    if (*f == 'h')
      d->length--;
    else if (*f == 'l')
      d->length++;
    else if (*f == 'j' || *f == 'z' || *f == 't' || *f == 'q')
      d->length = LONG;
    else if (*f == 'L')
      d->length = LONG_DOUBLE;
    else
      break;
  }
  d->conversion = *f ? *f++ : 0;
  return f;
}

static void put_integer(void *to, int length, unsigned long value) {
  switch (length) {
  case CHAR:
    *(unsigned char *)to = value;
    break;
  case SHORT:
    *(unsigned short *)to = value;
    break;
  case PLAIN:
    *(unsigned *)to = value;
    break;
  default:
    *(unsigned long *)to = value;
  }
}

/* Reads an integer; 0 when there is none. */
static int integer(struct source *s, const struct directive *d, int base, int is_signed, unsigned long *result) {
  int left = d->width ? d->width : INT_MAX, negative = 0, digits = 0, overflow = 0, read = 0;
  unsigned long value = 0;
  int c = next(s);
  if (c == '-' || c == '+') {
    negative = c == '-';
    left--;
    c = next(s);
  }
  if (left > 0 && c == '0' && (base == 0 || base == 16)) {
    digits = 1;
    left--;
    c = next(s);
    if (left && c != EOF && (c | 32) == 'x') {
      /* The native function takes the prefix alone for a zero. */
      base = 16;
      left--;
      c = next(s);
    } else if (base == 0) {
      base = 8;
    }
  } else if (base == 0) {
    base = 10;
  }
  while (left > 0 && c != EOF) {
    unsigned one;
    if (!is_digit(c, (unsigned)base, &one))
      break;
    /* Twelve digits of any base are no overflow; from there on it has to be looked for. */
    if (++read <= 12) {
      value = value * (unsigned)base + one;
    } else {
      unsigned long larger;
      overflow |= __builtin_mul_overflow(value, (unsigned long)base, &larger);
      overflow |= __builtin_add_overflow(larger, (unsigned long)one, &value);
    }
    digits = 1;
    left--;
    c = next(s);
  }
  /* One character further, also where the width was used up: the native function looks there too, and so
   * notices the end of the file. */
  back(s, c);
  if (!digits)
    return 0;
  if (is_signed) {
    unsigned long limit = (unsigned long)LONG_MAX + (unsigned)negative;
    if (overflow || (read > 12 && value > limit)) {
      errno = ERANGE;
      *result = negative ? (unsigned long)LONG_MIN : (unsigned long)LONG_MAX;
      return 1;
    }
  } else if (overflow) {
    errno = ERANGE;
    *result = ULONG_MAX;
    return 1;
  }
  *result = negative ? 0 - value : value;
  return 1;
}

/* Characters that can continue a float after what was read so far; then the native conversion. */
static int floating(struct source *s, const struct directive *d, void *to) {
  char text[512];
  int used = 0, left = d->width && d->width < (int)sizeof text ? d->width : (int)sizeof text - 1;
  int seen_digit = 0, seen_point = 0, seen_exponent = 0;
  int c = EOF;
  while (used < left) {
    c = next(s);
    if (c == EOF)
      break;
    int sign = c == '-' || c == '+';
    int after_exponent = used && (text[used - 1] == 'e' || text[used - 1] == 'E');
    int fits = (unsigned)c - '0' < 10 || (sign && (used == 0 || after_exponent)) ||
               (c == '.' && !seen_point && !seen_exponent) ||
               ((c == 'e' || c == 'E') && seen_digit && !seen_exponent);
    if (!fits) {
      back(s, c);
      break;
    }
    seen_digit |= (unsigned)c - '0' < 10;
    seen_point |= c == '.';
    seen_exponent |= c == 'e' || c == 'E';
    text[used++] = c;
  }
  text[used] = 0;
  if (!seen_digit)
    return 0;
  if (!to)
    return 1;
  if (d->length == LONG) {
    *(double *)to = MODEL(strtod)(text, NULL);
  } else if (d->length == PLAIN) {
    *(float *)to = MODEL(strtof)(text, NULL);
  } else {
    if (!__symcrete_model_clean(text, used))
      __symcrete_model_lost(LOST_FLOAT);
    *(long double *)to = NATIVE(strtold)(text, NULL);
  }
  return 1;
}

/* `set` is what stands between the brackets, up to `end`. */
static int in_set(int c, const char *set, const char *end, int negated) {
  unsigned found = 0;
  for (const char *p = set; p < end; p++) {
    unsigned char first = *p, last = first;
    if (p + 2 < end && p[1] == '-') {
      last = p[2];
      p += 2;
    }
    if (last >= first)
      found |= in_range(c, first, last - first + 1u);
  }
  return ((int)found < 0) != negated;
}

static int scan(struct source *s, const char *f, va_list list) {
  int done = 0;
  while (*f) {
    if (is_space(*f)) {
      skip_space(s);
      f++;
      continue;
    }
    if (*f != '%' || f[1] == '%') {
      if (*f == '%') {
        skip_space(s);
        f++;
      }
      int c = next(s);
      if (c != (unsigned char)*f) {
        s->at_end = c == EOF;
        back(s, c);
        goto out;
      }
      f++;
      continue;
    }
    struct directive d;
    f = parse(f + 1, &d);
    char conversion = d.conversion;
    if (conversion == 'n') {
      if (!d.discard)
        put_integer(va_arg(list, void *), d.length, s->taken);
      continue;
    }
    const char *set = f, *set_end = f;
    int negated = 0;
    if (conversion == '[') {
      if (*set == '^') {
        negated = 1;
        set++;
      }
      set_end = set;
      if (*set_end)
        set_end++;
      while (*set_end && *set_end != ']')
        set_end++;
      f = *set_end ? set_end + 1 : set_end;
    } else if (conversion != 'c') {
      skip_space(s);
    }
    int first = next(s);
    if (first == EOF) {
      s->at_end = 1;
      goto out;
    }
    back(s, first);
    int ok = 0;
    switch (conversion) {
    case 'd':
    case 'i':
    case 'u':
    case 'x':
    case 'X':
    case 'o':
    case 'p': {
      int base = conversion == 'd' || conversion == 'u' ? 10 : conversion == 'i' ? 0 : conversion == 'o' ? 8 : 16;
      unsigned long value;
      ok = integer(s, &d, base, conversion == 'd' || conversion == 'i', &value);
      if (ok && !d.discard)
        put_integer(va_arg(list, void *), conversion == 'p' ? LONG : d.length, value);
      break;
    }
    case 'f':
    case 'F':
    case 'e':
    case 'E':
    case 'g':
    case 'G':
    case 'a':
    case 'A': {
      void *to = d.discard ? NULL : va_arg(list, void *);
      ok = floating(s, &d, to);
      break;
    }
    case 'c':
    case 's':
    case '[': {
      char *to = d.discard ? NULL : va_arg(list, char *);
      int left = d.width ? d.width : conversion == 'c' ? 1 : INT_MAX, used = 0;
      for (; left > 0; left--) {
        int c = next(s);
        if (c == EOF)
          break;
        if (conversion == 's' ? is_space(c) : conversion == '[' ? !in_set(c, set, set_end, negated) : 0) {
          back(s, c);
          break;
        }
        if (to)
          to[used] = c;
        used++;
      }
      if (conversion != 'c' && used > 0 && to)
        to[used] = 0;
      ok = used > 0;
      break;
    }
    default:
      goto out;
    }
    if (!ok)
      goto out;
    done += !d.discard;
  }
  return done;
out:
  /* An answer of its own only where a directive found nothing at all and nothing was assigned before. */
  return done == 0 && s->at_end ? EOF : done;
}

static int scan_file(FILE *file, const char *format, va_list list) {
  struct source s = {file, NULL, 0, 0};
  READING(file);
  return scan(&s, format, list);
}

static int scan_text(const char *text, const char *format, va_list list) {
  struct source s = {NULL, text, 0, 0};
  return scan(&s, format, list);
}

#define VARIADIC(call)                                                                                       \
  va_list list;                                                                                              \
  va_start(list, format);                                                                                    \
  int done = call;                                                                                           \
  va_end(list);                                                                                              \
  return done

/* The C library has each of them under a name per standard. */
#define FAMILY(prefix)                                                                                       \
  int MODEL(prefix##scanf)(const char *format, ...);                                                         \
  int MODEL(prefix##fscanf)(FILE *file, const char *format, ...);                                            \
  int MODEL(prefix##sscanf)(const char *text, const char *format, ...);                                      \
  int MODEL(prefix##vscanf)(const char *format, va_list list);                                               \
  int MODEL(prefix##vfscanf)(FILE *file, const char *format, va_list list);                                  \
  int MODEL(prefix##vsscanf)(const char *text, const char *format, va_list list);                            \
  int MODEL(prefix##scanf)(const char *format, ...) { VARIADIC(scan_file(stdin, format, list)); }            \
  int MODEL(prefix##fscanf)(FILE *file, const char *format, ...) { VARIADIC(scan_file(file, format, list)); } \
  int MODEL(prefix##sscanf)(const char *text, const char *format, ...) {                                     \
    VARIADIC(scan_text(text, format, list));                                                                 \
  }                                                                                                          \
  int MODEL(prefix##vscanf)(const char *format, va_list list) { return scan_file(stdin, format, list); }     \
  int MODEL(prefix##vfscanf)(FILE *file, const char *format, va_list list) {                                 \
    return scan_file(file, format, list);                                                                    \
  }                                                                                                          \
  int MODEL(prefix##vsscanf)(const char *text, const char *format, va_list list) {                           \
    return scan_text(text, format, list);                                                                    \
  }

FAMILY()
FAMILY(__isoc99_)
FAMILY(__isoc23_)
