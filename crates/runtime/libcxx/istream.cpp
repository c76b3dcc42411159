// `std::istream` and what `std::cin` reads through: characters, lines, words, numbers.
#include "parts.h"
#include <ext/stdio_sync_filebuf.h>
#include <limits>

template class std::basic_streambuf<char>;
template class std::basic_istream<char>;
template class std::basic_iostream<char>;
template class std::num_get<char>;
template class __gnu_cxx::stdio_sync_filebuf<char>;

namespace std {

template istream &ws(istream &);
template istream &operator>>(istream &, char &);
template istream &operator>>(istream &, unsigned char &);
template istream &operator>>(istream &, signed char &);

namespace {

using traits = char_traits<char>;

bool is_end(int c) { return traits::eq_int_type(c, traits::eof()); }

// Runs `read` behind the sentry; what it throws marks the stream as bad, as for every input function. The
// answer of `read` are the further states of the stream.
template <class Read> void guarded(istream &in, bool keep_space, Read read) {
  ios_base::iostate state = ios_base::goodbit;
  istream::sentry ready(in, keep_space);
  if (ready) {
    try {
      state = read(*in.rdbuf());
    } catch (__cxxabiv1::__forced_unwind &) {
      in._M_setstate(ios_base::badbit);
      throw;
    } catch (...) {
      in._M_setstate(ios_base::badbit);
    }
  }
  if (state != ios_base::goodbit)
    in.setstate(state);
}

} // namespace

namespace {

// A number as strtod reads it: all of the text, and no larger than numbers are.
template <class T> void convert(const char *text, T &value, ios_base::iostate &state, T read, const char *end) {
  if (end == text || *end != '\0') {
    value = 0;
    state = ios_base::failbit;
  } else if (read > numeric_limits<T>::max() || read < numeric_limits<T>::lowest()) {
    value = read > 0 ? numeric_limits<T>::max() : numeric_limits<T>::lowest();
    state = ios_base::failbit;
  } else {
    value = read;
  }
}

} // namespace

template <>
WEAK void __convert_to_v(const char *text, float &value, ios_base::iostate &state, const __c_locale &locale) throw() {
  char *end;
  float read = strtof_l(text, &end, locale);
  convert(text, value, state, read, end);
}

template <>
WEAK void __convert_to_v(const char *text, double &value, ios_base::iostate &state, const __c_locale &locale) throw() {
  char *end;
  double read = strtod_l(text, &end, locale);
  convert(text, value, state, read, end);
}

template <> WEAK istream &getline(istream &in, string &line, char stop) {
  // A sentry that is not ready has set the failure already.
  guarded(in, true, [&](streambuf &from) -> ios_base::iostate {
    line.erase();
    string::size_type room = line.max_size();
    int c = from.sgetc();
    if (is_end(c))
      return ios_base::eofbit | ios_base::failbit;
    for (; !is_end(c); c = from.snextc()) {
      if (c == traits::to_int_type(stop)) {
        from.sbumpc();
        return ios_base::goodbit;
      }
      if (room-- == 0)
        return ios_base::failbit;
      line.push_back(traits::to_char_type(c));
    }
    return ios_base::eofbit;
  });
  return in;
}

template <> WEAK istream &operator>>(istream &in, string &word) {
  guarded(in, false, [&](streambuf &from) -> ios_base::iostate {
    const ctype<char> &classes = use_facet<ctype<char>>(in.getloc());
    word.erase();
    streamsize width = in.width();
    string::size_type room = width > 0 ? static_cast<string::size_type>(width) : word.max_size();
    ios_base::iostate state = ios_base::goodbit;
    for (int c = from.sgetc(); word.size() < room; c = from.snextc()) {
      if (is_end(c)) {
        state |= ios_base::eofbit;
        break;
      }
      if (classes.is(ctype_base::space, traits::to_char_type(c)))
        break;
      word.push_back(traits::to_char_type(c));
    }
    in.width(0);
    if (word.empty())
      state |= ios_base::failbit;
    return state;
  });
  return in;
}

// A word into `room` characters, the end included.
WEAK void __istream_extract(istream &in, char *to, streamsize room) {
  streamsize n = 0;
  char *const first = to;
  guarded(in, false, [&](streambuf &from) -> ios_base::iostate {
    const ctype<char> &classes = use_facet<ctype<char>>(in.getloc());
    streamsize width = in.width();
    if (0 < width && width < room)
      room = width;
    ios_base::iostate state = ios_base::goodbit;
    for (int c = from.sgetc(); n < room - 1; c = from.snextc()) {
      if (is_end(c)) {
        state |= ios_base::eofbit;
        break;
      }
      if (classes.is(ctype_base::space, traits::to_char_type(c)))
        break;
      first[n++] = traits::to_char_type(c);
    }
    first[n] = '\0';
    in.width(0);
    if (n == 0)
      state |= ios_base::failbit;
    return state;
  });
}

template <> WEAK istream &istream::getline(char *to, streamsize room, char stop) {
  _M_gcount = 0;
  streamsize n = 0;
  guarded(*this, true, [&](streambuf &from) -> ios_base::iostate {
    for (int c = from.sgetc();; c = from.snextc()) {
      if (is_end(c))
        return _M_gcount == 0 ? ios_base::eofbit | ios_base::failbit : ios_base::eofbit;
      if (c == traits::to_int_type(stop)) {
        from.sbumpc();
        ++_M_gcount;
        return ios_base::goodbit;
      }
      if (n + 1 >= room)
        return ios_base::failbit;
      to[n++] = traits::to_char_type(c);
      ++_M_gcount;
    }
  });
  if (room > 0)
    to[n] = '\0';
  if (_M_gcount == 0 && good())
    setstate(ios_base::failbit);
  return *this;
}

template <> WEAK istream &istream::ignore(streamsize n, int stop) {
  _M_gcount = 0;
  constexpr streamsize all = numeric_limits<streamsize>::max();
  guarded(*this, true, [&](streambuf &from) -> ios_base::iostate {
    if (n <= 0)
      return ios_base::goodbit;
    // One character further than asked for is looked at, as the native function does.
    for (int c = from.sgetc(); n == all || _M_gcount < n; c = from.snextc()) {
      if (is_end(c))
        return ios_base::eofbit;
      if (_M_gcount < all)
        ++_M_gcount;
      if (c == stop) {
        from.sbumpc();
        break;
      }
    }
    return ios_base::goodbit;
  });
  return *this;
}

template <> WEAK istream &istream::ignore(streamsize n) { return ignore(n, traits::eof()); }

} // namespace std
