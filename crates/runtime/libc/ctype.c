/* Models: classes of characters, in the C locale. A class answers with the same number as the native
 * function, since programs see it. */
#include "model.h"
#include <ctype.h>

static unsigned in(int c, int first, int last) { return (unsigned)c - (unsigned)first <= (unsigned)(last - first); }
static unsigned upper(int c) { return in(c, 'A', 'Z'); }
static unsigned lower(int c) { return in(c, 'a', 'z'); }
static unsigned number(int c) { return in(c, '0', '9'); }
static unsigned letter(int c) { return upper(c) | lower(c); }
static unsigned graph(int c) { return in(c, '!', '~'); }

#define CLASS(name, bit, condition)                                                                          \
  int MODEL(is##name)(int c);                                                                                \
  int MODEL(is##name)(int c) { return (condition) ? 1 << bit : 0; }

CLASS(upper, 8, upper(c))
CLASS(lower, 9, lower(c))
CLASS(alpha, 10, letter(c))
CLASS(digit, 11, number(c))
CLASS(xdigit, 12, number(c) | in(c, 'a', 'f') | in(c, 'A', 'F'))
CLASS(space, 13, (c == ' ') | in(c, '\t', '\r'))
CLASS(print, 14, in(c, ' ', '~'))
CLASS(graph, 15, graph(c))
CLASS(blank, 0, (c == ' ') | (c == '\t'))
CLASS(cntrl, 1, in(c, 0, 31) | (c == 127))
CLASS(punct, 2, graph(c) & !(letter(c) | number(c)))
CLASS(alnum, 3, letter(c) | number(c))

int MODEL(tolower)(int c);
int MODEL(toupper)(int c);
int MODEL(isascii)(int c);
int MODEL(toascii)(int c);

/* 32 for the letters from `first` on, else 0. Without a decision, and in a form that the compiler does not
 * turn into one: `c - first` is not negative and `c - first - 26` is. */
static int letter_bit(int c, int first) {
  unsigned from = (unsigned)c - (unsigned)first;
  return (int)((from - 26 & ~from) >> 26 & 32);
}

int MODEL(tolower)(int c) { return c | letter_bit(c, 'A'); }
int MODEL(toupper)(int c) { return c & ~letter_bit(c, 'a'); }
int MODEL(isascii)(int c) { return (c & ~0x7f) == 0; }
int MODEL(toascii)(int c) { return c & 0x7f; }
