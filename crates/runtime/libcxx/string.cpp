// `std::string`: comparisons, searches, insertions that the headers leave to the shared library.
#include "parts.h"

template class std::basic_string<char>;
