// Streams on strings.
#include "parts.h"
#include <sstream>

template class std::basic_stringbuf<char>;
template class std::basic_istringstream<char>;
template class std::basic_stringstream<char>;
