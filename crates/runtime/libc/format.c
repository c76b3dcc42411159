/* Models: printing into memory. Integers, characters and strings are formatted here, by ordinary branches
 * on their values; floating point by the native function, piece by piece, and counted as lost where it was
 * input. A format with something else in it is left to the native function altogether. */
#include "model.h"
#include "native.h"
#include "model_errno.h"
#include <limits.h>
#include <stdarg.h>
#include <wchar.h>

int MODEL(vsnprintf)(char *to, size_t room, const char *format, va_list list);
int MODEL(vsprintf)(char *to, const char *format, va_list list);
int MODEL(snprintf)(char *to, size_t room, const char *format, ...);
int MODEL(sprintf)(char *to, const char *format, ...);
int MODEL(vasprintf)(char **to, const char *format, va_list list);
int MODEL(asprintf)(char **to, const char *format, ...);

struct output {
  char *to;
  size_t room, used;
};

static void put(struct output *o, char c) {
  if (o->used < o->room)
    o->to[o->used] = c;
  o->used++;
}

static void fill(struct output *o, char c, long n) {
  for (; n > 0; n--)
    put(o, c);
}

enum { CHAR = -2, SHORT = -1, PLAIN = 0, LONG = 1, LONG_LONG = 2, LONG_DOUBLE = 3 };

struct directive {
  int left, plus, space, alternative, zero;
  /* -1: not given. */
  int width, precision, length;
  char conversion;
  /* The text of it, for the native function. */
  const char *begin, *end;
};

/* Reads flags, width, precision and length. Stars are left for the caller: -2. */
static const char *parse(const char *f, struct directive *d) {
  *d = (struct directive){.width = -1, .precision = -1, .begin = f};
  for (f++;; f++) {
    if (*f == '-')
      d->left = 1;
    else if (*f == '+')
      d->plus = 1;
    else if (*f == ' ')
      d->space = 1;
    else if (*f == '#')
      d->alternative = 1;
    else if (*f == '0')
      d->zero = 1;
    else
      break;
  }
  if (*f == '*') {
    d->width = -2;
    f++;
  } else if ((unsigned)*f - '0' < 10) {
    for (d->width = 0; (unsigned)*f - '0' < 10 && d->width < 100000000; f++)
      d->width = d->width * 10 + (*f - '0');
  }
  if (*f == '.') {
    f++;
    d->precision = 0;
    if (*f == '*') {
      d->precision = -2;
      f++;
    } else {
      for (; (unsigned)*f - '0' < 10 && d->precision < 100000000; f++)
        d->precision = d->precision * 10 + (*f - '0');
    }
  }
  for (;; f++) {
    if (*f == 'h')
      d->length--;
    else if (*f == 'l')
      d->length++;
    else if (*f == 'j' || *f == 'z' || *f == 't')
      d->length = LONG;
    else if (*f == 'L')
      d->length = LONG_DOUBLE;
    else
      break;
  }
  d->conversion = *f;
  d->end = *f ? f + 1 : f;
  return d->end;
}

static int one_of(char c, const char *set) {
  for (; *set; set++)
    if (c == *set)
      return 1;
  return 0;
}

/* Whether everything in the format is done here. */
static int known(const char *f) {
  while (*f) {
    struct directive d;
    if (*f != '%') {
      f++;
      continue;
    }
    f = parse(f, &d);
    if (!d.conversion || !one_of(d.conversion, "diuoxXcspnfFeEgGaA%"))
      return 0;
    if (one_of(d.conversion, "cs") && d.length != PLAIN)
      return 0;
    if (d.conversion == '%' && d.end - d.begin != 2)
      return 0;
  }
  return 1;
}

/* Sign or prefix, zeros, digits, with blanks before or behind. */
static void number(struct output *o, const struct directive *d, unsigned long value, const char *prefix) {
  char digits[72];
  int n = 0, base = d->conversion == 'o' ? 8 : one_of(d->conversion, "xXp") ? 16 : 10;
  char ten = d->conversion == 'X' ? 'A' - 10 : 'a' - 10;
  for (; value; value /= (unsigned)base) {
    unsigned digit = value % (unsigned)base;
    digits[n++] = (char)(digit + (base == 16 && digit >= 10 ? ten : '0'));
  }
  int before = 0;
  while (prefix[before])
    before++;
  int least = d->precision < 0 ? 1 : d->precision;
  if (d->conversion == 'o' && d->alternative && least <= n && (n == 0 || digits[n - 1] != '0'))
    least = n + 1;
  int zeros = least > n ? least - n : 0;
  int blanks = d->width > before + zeros + n ? d->width - before - zeros - n : 0;
  if (d->zero && !d->left && d->precision < 0) {
    zeros += blanks;
    blanks = 0;
  }
  if (!d->left)
    fill(o, ' ', blanks);
  for (int i = 0; i < before; i++)
    put(o, prefix[i]);
  fill(o, '0', zeros);
  while (n > 0)
    put(o, digits[--n]);
  if (d->left)
    fill(o, ' ', blanks);
}

static void text(struct output *o, const struct directive *d, const char *s, int n) {
  int blanks = d->width > n ? d->width - n : 0;
  if (!d->left)
    fill(o, ' ', blanks);
  for (int i = 0; i < n; i++)
    put(o, s[i]);
  if (d->left)
    fill(o, ' ', blanks);
}

/* A float, by the native function, with the directive's own text. */
static void floating(struct output *o, const struct directive *d, long double value) {
  char spec[64], piece[512];
  int n = 0;
  /* The stars have been read: their numbers are written instead. */
  for (const char *flags = "-+ #0"; *flags; flags++)
    if (one_of(*flags, "-") ? d->left : one_of(*flags, "+") ? d->plus : one_of(*flags, " ") ? d->space : one_of(*flags, "#") ? d->alternative : d->zero)
      spec[1 + n++] = *flags;
  spec[0] = '%';
  spec[++n] = '*';
  spec[++n] = '.';
  spec[++n] = '*';
  if (d->length == LONG_DOUBLE)
    spec[++n] = 'L';
  spec[++n] = d->conversion;
  spec[++n] = 0;
  int width = d->width < 0 ? 0 : d->width, is_long = d->length == LONG_DOUBLE;
  int size = NATIVE(format_float)(piece, sizeof piece, spec, width, d->precision, is_long, value);
  char *all = piece;
  if (size >= (int)sizeof piece && (all = NATIVE(malloc)((size_t)size + 1)))
    NATIVE(format_float)(all, (size_t)size + 1, spec, width, d->precision, is_long, value);
  for (int i = 0; all && i < size; i++)
    put(o, all[i]);
  if (all != piece)
    NATIVE(free)(all);
}

static unsigned long unsigned_argument(va_list *list, int length) {
  switch (length) {
  case CHAR:
    return (unsigned char)va_arg(*list, unsigned);
  case SHORT:
    return (unsigned short)va_arg(*list, unsigned);
  case PLAIN:
    return va_arg(*list, unsigned);
  default:
    return va_arg(*list, unsigned long);
  }
}

static long signed_argument(va_list *list, int length) {
  switch (length) {
  case CHAR:
    return (signed char)va_arg(*list, int);
  case SHORT:
    return (short)va_arg(*list, int);
  case PLAIN:
    return va_arg(*list, int);
  default:
    return va_arg(*list, long);
  }
}

static void store_count(void *to, int length, size_t n) {
  switch (length) {
  case CHAR:
    *(signed char *)to = n;
    break;
  case SHORT:
    *(short *)to = n;
    break;
  case PLAIN:
    *(int *)to = n;
    break;
  default:
    *(long *)to = n;
  }
}

static void one(struct output *o, struct directive *d, va_list *list) {
  if (d->width == -2) {
    d->width = va_arg(*list, int);
    if (d->width < 0) {
      d->left = 1;
      d->width = -d->width;
    }
  }
  if (d->precision == -2) {
    d->precision = va_arg(*list, int);
    if (d->precision < 0)
      d->precision = -1;
  }
  switch (d->conversion) {
  case '%':
    put(o, '%');
    break;
  case 'd':
  case 'i': {
    long value = signed_argument(list, d->length);
    if (value < 0)
      number(o, d, 0 - (unsigned long)value, "-");
    else
      number(o, d, value, d->plus ? "+" : d->space ? " " : "");
    break;
  }
  case 'u':
  case 'o':
    number(o, d, unsigned_argument(list, d->length), "");
    break;
  case 'x':
  case 'X': {
    unsigned long value = unsigned_argument(list, d->length);
    number(o, d, value, !d->alternative || !value ? "" : d->conversion == 'x' ? "0x" : "0X");
    break;
  }
  case 'p': {
    void *p = va_arg(*list, void *);
    if (p)
      number(o, d, (unsigned long)p, d->plus ? "+0x" : d->space ? " 0x" : "0x");
    else
      text(o, d, "(nil)", 5);
    break;
  }
  case 'c': {
    char c = (char)va_arg(*list, int);
    text(o, d, &c, 1);
    break;
  }
  case 's': {
    const char *s = va_arg(*list, const char *);
    if (!s)
      s = d->precision >= 0 && d->precision < 6 ? "" : "(null)";
    int n = 0;
    while ((d->precision < 0 || n < d->precision) && s[n])
      n++;
    text(o, d, s, n);
    break;
  }
  case 'n':
    store_count(va_arg(*list, void *), d->length, o->used);
    break;
  default: {
    long double value;
    if (d->length == LONG_DOUBLE) {
      value = va_arg(*list, long double);
    } else {
      double plain = va_arg(*list, double);
      if (!__symcrete_model_clean(&plain, sizeof plain))
        __symcrete_model_lost(LOST_FLOAT);
      value = plain;
    }
    floating(o, d, value);
  }
  }
}

int MODEL(vsnprintf)(char *to, size_t room, const char *format, va_list list) {
  if (!known(format)) {
    int n = NATIVE(vsnprintf)(to, room, format, list);
    if (n >= 0 && room > 0)
      __symcrete_model_clear(to, (size_t)n < room ? (size_t)n + 1 : room);
    __symcrete_model_lost(LOST_CALL);
    return n;
  }
  struct output o = {to, room > 0 ? room - 1 : 0, 0};
  va_list own;
  va_copy(own, list);
  for (const char *f = format; *f;) {
    if (*f != '%') {
      put(&o, *f++);
      continue;
    }
    struct directive d;
    f = parse(f, &d);
    one(&o, &d, &own);
  }
  va_end(own);
  if (room > 0)
    to[o.used < room - 1 ? o.used : room - 1] = 0;
  if (o.used > INT_MAX) {
    errno = EOVERFLOW;
    return -1;
  }
  return (int)o.used;
}

int MODEL(vsprintf)(char *to, const char *format, va_list list) {
  return MODEL(vsnprintf)(to, (size_t)INT_MAX + 1, format, list);
}

int MODEL(snprintf)(char *to, size_t room, const char *format, ...) {
  va_list list;
  va_start(list, format);
  int n = MODEL(vsnprintf)(to, room, format, list);
  va_end(list);
  return n;
}

int MODEL(sprintf)(char *to, const char *format, ...) {
  va_list list;
  va_start(list, format);
  int n = MODEL(vsprintf)(to, format, list);
  va_end(list);
  return n;
}

/* Twice: once for the size. */
int MODEL(vasprintf)(char **to, const char *format, va_list list) {
  va_list own;
  va_copy(own, list);
  int n = NATIVE(vsnprintf)(NULL, 0, format, own);
  va_end(own);
  char *fresh = n < 0 ? NULL : NATIVE(malloc)((size_t)n + 1);
  if (!fresh)
    return -1;
  __symcrete_model_clear(fresh, (size_t)n + 1);
  *to = fresh;
  return MODEL(vsnprintf)(fresh, (size_t)n + 1, format, list);
}

int MODEL(asprintf)(char **to, const char *format, ...) {
  va_list list;
  va_start(list, format);
  int n = MODEL(vasprintf)(to, format, list);
  va_end(list);
  return n;
}
