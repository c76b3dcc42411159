#!/usr/bin/env bash
# tinyxml2, a C++ library, built with our compiler by its own Makefile: its own tests in both bodies.
#
#   EXPLORE=TIME      then a campaign on a harness, self-check on
set -euo pipefail
. "$(dirname "$0")/places.sh"

need dpkg-dev make
"$here/fetch.sh" debian tinyxml2 "$sources"
build=$work/tinyxml2
rm -rf "$build" && mkdir -p "$build"
cp -a "$sources/tinyxml2/src/." "$build"
cd "$build"
quietly "$work/tinyxml2.make.log" make CXX=symcrete-c++ xmltest
mkdir -p resources/out
./xmltest >fast.log 2>&1 || { tail fast.log >&2; fail "its tests in the fast body"; }
say "fast body: $(tail -n 1 fast.log)"
SYMCRETE_BODY=tracking ./xmltest >tracking.log 2>&1 || { tail tracking.log >&2; fail "its tests in the tracking body"; }
say "tracking body: $(tail -n 1 tracking.log)"
# What it prints besides is the same too, times aside.
diff <(sed '/seconds$/d' fast.log) <(sed '/seconds$/d' tracking.log) >/dev/null || fail "the two bodies print different things"
if [ -n "${EXPLORE:-}" ]; then
  symcrete-c++ -O2 -g -I. "$here/harness/tinyxml2.cpp" libtinyxml2.a -o harness
  mkdir -p seeds
  printf '<a b="7"><!-- c -->x&amp;</a>' >seeds/1
  explore ./harness "$build/out" --max-len 48 --max-cpu "$EXPLORE" --seeds seeds
fi
say "good"
