// `std::filebuf` and the streams on files.
#include "parts.h"
#include <cerrno>
#include <fstream>
#include <unistd.h>

template class std::basic_filebuf<char>;
template class std::basic_ifstream<char>;
template class std::basic_fstream<char>;

namespace std {

// The one place where a file buffer reads.
WEAK streamsize __basic_file<char>::xsgetn(char *to, streamsize n) {
  streamsize got;
  do
    got = read(fd(), to, static_cast<size_t>(n));
  while (got == -1 && errno == EINTR);
  return got;
}

} // namespace std
