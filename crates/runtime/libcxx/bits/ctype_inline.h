// Found instead of the library's own header: classes of characters in the C locale by arithmetic, one
// decision each, where the library looks into a table at an input-dependent address.
#include "../../libc/characters.h"

namespace std _GLIBCXX_VISIBILITY(default) {
_GLIBCXX_BEGIN_NAMESPACE_VERSION

// Negative as a signed number where `c` belongs to one of the classes. `mask` is a constant wherever this
// is inlined.
static inline unsigned symcrete_classes(ctype_base::mask mask, unsigned char c) {
  unsigned upper = in_range(c, 'A', 26), lower = in_range(c, 'a', 26), digit = in_range(c, '0', 10), in = 0;
  if (mask & ctype_base::upper)
    in |= upper;
  if (mask & ctype_base::lower)
    in |= lower;
  if (mask & _ISalpha)
    in |= upper | lower;
  if (mask & _ISdigit)
    in |= digit;
  if (mask & ctype_base::xdigit)
    in |= digit | in_range(c, 'A', 6) | in_range(c, 'a', 6);
  if (mask & ctype_base::space)
    in |= in_range(c, '\t', 5) | in_range(c, ' ', 1);
  if (mask & ctype_base::print)
    in |= in_range(c, ' ', 95);
  if (mask & ctype_base::cntrl)
    in |= in_range(c, 0, 32) | in_range(c, 127, 1);
  if (mask & _ISpunct)
    in |= in_range(c, '!', 94) & ~(upper | lower | digit);
  if (mask & ctype_base::blank)
    in |= in_range(c, ' ', 1) | in_range(c, '\t', 1);
  return in;
}

bool ctype<char>::is(mask mask, char c) const {
  if (_M_table != classic_table())
    return _M_table[static_cast<unsigned char>(c)] & mask;
  return static_cast<int>(symcrete_classes(mask, static_cast<unsigned char>(c))) < 0;
}

const char *ctype<char>::is(const char *low, const char *high, mask *classes) const {
  while (low < high)
    *classes++ = _M_table[static_cast<unsigned char>(*low++)];
  return high;
}

const char *ctype<char>::scan_is(mask mask, const char *low, const char *high) const {
  while (low < high && !is(mask, *low))
    ++low;
  return low;
}

const char *ctype<char>::scan_not(mask mask, const char *low, const char *high) const {
  while (low < high && is(mask, *low))
    ++low;
  return low;
}

_GLIBCXX_END_NAMESPACE_VERSION
} // namespace std
