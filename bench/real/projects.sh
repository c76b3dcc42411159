#!/usr/bin/env bash
# One real project per build system, built by our compiler with the files of examples/projects, then tried: tinyxml2 by
# CMake and by Meson (its own tests pass), zlib by its own configure and Makefile (its own tests pass), and a short
# campaign on a program that each of them built.
#
#   bench/real/projects.sh [CPU-TIME]      budget of each campaign, 5s without an argument
set -euo pipefail
. "$(dirname "$0")/places.sh"
budget=${1:-5s}

need dpkg-dev make cmake meson ninja-build
files=$root/examples/projects
"$here/fetch.sh" debian tinyxml2 "$sources"
"$here/fetch.sh" debian zlib "$sources"

cd "$work"
rm -rf projects && mkdir -p projects && cd projects
cp -a "$sources/tinyxml2/src" tinyxml2
cp -a "$sources/zlib/src" zlib

quietly cmake.log cmake -S tinyxml2 -B by-cmake -DCMAKE_TOOLCHAIN_FILE="$files/symcrete.cmake"
quietly cmake.log cmake --build by-cmake -j 2
quietly cmake.log ctest --test-dir by-cmake
say "CMake: tinyxml2's own tests pass"

quietly meson.log meson setup by-meson tinyxml2 --native-file "$files/symcrete.meson" -Dtests=true
quietly meson.log ninja -C by-meson
quietly meson.log meson test -C by-meson
say "Meson: tinyxml2's own tests pass"

cd zlib
quietly ../configure.log env CC=symcrete-cc ./configure --static
quietly ../configure.log make
quietly ../configure.log make check
say "configure and make: zlib's own tests pass"
cd ..

explore zlib/minigzip "$PWD/out" --stdin 24 --max-cpu "$budget"
say "good"
