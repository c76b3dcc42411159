#!/usr/bin/env bash
# expat, built with our compiler through its own configure: its own tests in both bodies, then a campaign on a
# harness with the self-check on.
#
#   bench/real/expat.sh [CPU-TIME]      budget of the campaign, 5m without an argument
set -euo pipefail
. "$(dirname "$0")/places.sh"
budget=${1:-5m}

need dpkg-dev autoconf automake libtool make
"$here/fetch.sh" debian expat "$sources"
build=$work/expat
rm -rf "$build" && mkdir -p "$build"
cp -a "$sources/expat/src/expat/." "$build"
cd "$build"
[ -x configure ] || quietly "$work/expat.conf.log" ./buildconf.sh
quietly "$work/expat.configure.log" ./configure CC=symcrete-cc CXX=symcrete-c++ --without-docbook
quietly "$work/expat.make.log" make
quietly "$work/expat.check.log" make check
say "make check: $(sed -n 's/^# PASS: *//p' "$work/expat.check.log" | head -n 1) programs pass; $(grep -h 'Checks:' tests/runtests.log)"
for program in tests/runtests tests/runtestspp; do
  SYMCRETE_BODY=tracking ./$program >"$work/expat.tracking.log" 2>&1 || { tail "$work/expat.tracking.log" >&2; fail "$program in the tracking body"; }
  say "$program in the tracking body: $(grep 'Checks:' "$work/expat.tracking.log")"
done
symcrete-cc -O2 -g -Ilib "$here/harness/expat.c" lib/.libs/libexpat.a -o harness
mkdir -p seeds
printf 'a<!DOCTYPE d [<!ENTITY e "x">]><d a="1">&e;<!-- c --></d>' >seeds/1
explore ./harness "$build/out" --max-len 64 --max-cpu "$budget" --seeds seeds
say "good"
