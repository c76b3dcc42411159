# Toolchain file: a CMake project compiled by symcrete.
#
#   cmake -S . -B build-symcrete -DCMAKE_TOOLCHAIN_FILE=PREFIX/share/symcrete/symcrete.cmake
#   cmake --build build-symcrete
#   symcrete run --target build-symcrete/PROGRAM --stdin 64
#
# The commands are found on PATH, as any compiler is.
set(CMAKE_C_COMPILER symcrete-cc)
set(CMAKE_CXX_COMPILER symcrete-c++)
# Lines in results come from debug information, and the program should be optimised as users optimise it.
set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "")
