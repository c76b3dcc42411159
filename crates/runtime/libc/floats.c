/* Models: floating point out of strings. The native function gives the value. What it depends on is followed
 * where one operation of the machine gives the very same value: few enough digits to be exact, and a power of
 * ten that is exact. Everything else counts as lost. */
#include "characters.h"
#include "model.h"
#include "native.h"

double MODEL(strtod)(const char *s, char **end);
float MODEL(strtof)(const char *s, char **end);
double MODEL(atof)(const char *s);
double MODEL(strtod_l)(const char *s, char **end, locale_t locale);
double MODEL(__strtod_l)(const char *s, char **end, locale_t locale);
float MODEL(strtof_l)(const char *s, char **end, locale_t locale);
float MODEL(__strtof_l)(const char *s, char **end, locale_t locale);

/* A decimal number: `magnitude` times ten to the `scale`. */
struct decimal {
  uint64_t magnitude;
  long scale;
  int negative;
  /* Digits from the first one on that is not zero. */
  int digits;
  /* Where it ends; where it began if it is none, NULL if it has another form (hexadecimal, a name). */
  const char *end;
};

/* So many digits fit into `magnitude`. */
enum { MOST_DIGITS = 18 };

static const char *read_digits(const char *p, struct decimal *d, int fraction) {
  unsigned value;
  while (is_digit(*p, 10, &value)) {
    p++;
    d->scale -= fraction;
    if (d->digits == 0 && value == 0) {
      DECIDED;
      continue;
    }
    if (++d->digits <= MOST_DIGITS)
      d->magnitude = d->magnitude * 10 + value;
  }
  return p;
}

/* The exponent, if there is one with digits. */
static const char *read_exponent(const char *p, struct decimal *d) {
  const char *q = p + 1;
  long exponent = 0;
  unsigned value;
  int negative = 0;
  if ((*p | 32) != 'e')
    return p;
  if (*q == '-') {
    negative = 1;
    q++;
  } else if (*q == '+') {
    q++;
  }
  if (!is_digit(*q, 10, &value))
    return p;
  for (int digits = 0; is_digit(*q, 10, &value); q++)
    if (++digits <= 9)
      exponent = exponent * 10 + (long)value;
  d->scale += negative ? -exponent : exponent;
  return q;
}

static struct decimal read_decimal(const char *s) {
  struct decimal d = {0, 0, 0, 0, s};
  const char *p = s;
  while (is_space(*p))
    p++;
  if (*p == '-') {
    d.negative = 1;
    p++;
  } else if (*p == '+') {
    p++;
  }
  const char *first = p;
  p = read_digits(p, &d, 0);
  int whole = p > first;
  if (*p == '.') {
    const char *point = p;
    p = read_digits(p + 1, &d, 1);
    if (p == point + 1 && !whole)
      return d;
  } else if (!whole) {
    /* The first letter of a name that numbers can have. */
    if ((*p | 32) == 'i' || (*p | 32) == 'n')
      d.end = NULL;
    return d;
  }
  d.end = read_exponent(p, &d);
  return d;
}

/* Ten to the `scale`, in both directions; 0 where that is not exact. One decision for each power. */
static double power_of_ten(long scale, int most) {
  static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                  1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
  for (int i = 0; i <= most; i++) {
    int place = i;
    /* Not known to equal the scale: the index is no input. */
    __asm__("" : "+r"(place));
    if (scale == i || scale == -i)
      return powers[place];
  }
  return 0;
}

/* Puts the label of the computed number on the native one. */
static double settled(double computed, double native) {
  union {
    double number;
    uint64_t bits;
  } cell = {computed}, real = {native};
  __symcrete_model_settle(&cell.bits, real.bits);
  return cell.number;
}

static double lost(double native) {
  __symcrete_model_lost(LOST_FLOAT);
  return native;
}

/* The native function read `native` from `s` up to `stop`. */
static double follow_double(const char *s, const char *stop, double native) {
  if (__symcrete_model_clean(s, (uint64_t)(stop - s) + 1))
    return native;
  struct decimal d = read_decimal(s);
  if (d.end != stop || d.digits > MOST_DIGITS)
    return lost(native);
  if (stop == s)
    return native;
  double value = (double)(int64_t)d.magnitude;
  if (d.scale != 0) {
    double power = d.digits <= 15 ? power_of_ten(d.scale, 22) : 0;
    if (power == 0)
      return lost(native);
    value = d.scale > 0 ? value * power : value / power;
  }
  return settled(d.negative ? -value : value, native);
}

/* A float times or by a power of ten in float: rounded once, as the native function rounds. */
static float follow_float(const char *s, const char *stop, float native) {
  if (__symcrete_model_clean(s, (uint64_t)(stop - s) + 1))
    return native;
  struct decimal d = read_decimal(s);
  if (d.end != stop || d.digits > MOST_DIGITS)
    return (float)lost(native);
  if (stop == s)
    return native;
  float value = (float)(int64_t)d.magnitude;
  if (d.scale != 0) {
    float power = d.digits <= 7 ? (float)power_of_ten(d.scale, 10) : 0;
    if (power == 0)
      return (float)lost(native);
    value = d.scale > 0 ? value * power : value / power;
  }
  union {
    float number;
    uint64_t bits;
  } cell = {0}, real = {0};
  cell.bits = 0;
  real.bits = 0;
  cell.number = d.negative ? -value : value;
  real.number = native;
  __symcrete_model_settle(&cell.bits, real.bits);
  return cell.number;
}

#define CONVERT(type, follow, call)                                                                    \
  char *stop;                                                                                                \
  type native = call;                                                                                        \
  if (end)                                                                                                   \
    *end = stop;                                                                                             \
  return follow(s, stop, native)

double MODEL(strtod)(const char *s, char **end) { CONVERT(double, follow_double, NATIVE(strtod)(s, &stop)); }
float MODEL(strtof)(const char *s, char **end) { CONVERT(float, follow_float, NATIVE(strtof)(s, &stop)); }
double MODEL(atof)(const char *s) { return MODEL(strtod)(s, NULL); }
double MODEL(strtod_l)(const char *s, char **end, locale_t locale) {
  CONVERT(double, follow_double, NATIVE(strtod_l)(s, &stop, locale));
}
float MODEL(strtof_l)(const char *s, char **end, locale_t locale) {
  CONVERT(float, follow_float, NATIVE(strtof_l)(s, &stop, locale));
}
double MODEL(__strtod_l)(const char *s, char **end, locale_t locale) { return MODEL(strtod_l)(s, end, locale); }
float MODEL(__strtof_l)(const char *s, char **end, locale_t locale) { return MODEL(strtof_l)(s, end, locale); }
