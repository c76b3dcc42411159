// The parts of the C++ library that programs read input with are templates, and the library's headers hold
// their definitions: instantiated here by our own compiler they have tracking bodies. Linked before the
// shared library they take its place, also in its own tables of virtual functions; so `std::cin`, which
// the shared library builds, ends in our `getc`.
//
// What the headers only declare (specialisations for char) is written here. All of it is weak, as
// instantiations are: a static C++ library may bring its own.
#ifndef PARTS_H
#define PARTS_H

#define _GLIBCXX_EXTERN_TEMPLATE 0
#define WEAK __attribute__((weak))

#include <istream>
#include <locale>
#include <streambuf>
#include <string>

#endif
