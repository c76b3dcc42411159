/* Classes of characters, for models that decide by them. Each question is one decision: the parts are put
 * together by arithmetic, in forms that the compiler does not turn back into several branches or a switch. */
#ifndef CHARACTERS_H
#define CHARACTERS_H

/* Negative as a signed number where `first <= c < first + n`, for c of 0 to 255. */
static inline unsigned in_range(unsigned c, unsigned first, unsigned n) {
  unsigned from = c - first;
  return (from - n) & ~from;
}

/* Blank, tab, line feed, vertical tab, form feed, carriage return. */
static inline int is_space(unsigned char c) { return (int)(in_range(c, '\t', 5) | in_range(c, ' ', 1)) < 0; }

/* Whether `c` is a digit of this base, and which. */
static inline int is_digit(unsigned char c, unsigned base, unsigned *value) {
  if (base <= 10) {
    *value = (unsigned)c - '0';
    return *value < base;
  }
  /* Letters have bit 6; without their case bit they count from 1. */
  unsigned letter = c >> 6 & 1;
  *value = (c & (15 | letter << 4)) + 9 * letter;
  return (int)(in_range(c, '0', 10) | in_range(c | 32, 'a', base - 10)) < 0;
}

/* Whether `c` is one of the characters of a string; its end is none of them. */
static inline int is_one_of(unsigned char c, const char *set) {
  unsigned found = 0;
  for (; *set; set++)
    found |= (unsigned)(c ^ (unsigned char)*set) - 1;
  return (int)found < 0;
}

#endif
