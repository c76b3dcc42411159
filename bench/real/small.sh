#!/usr/bin/env bash
# Small C programs from Debian's sources, built natively and with our compiler by their own build files: the same
# output natively, in the fast body and in the tracking body.
#
#   bench/real/small.sh [NAME…]      lua zlib cjson bc language
#   EXPLORE=TIME                     then a campaign on a harness for each that has one, self-check on
set -euo pipefail
. "$(dirname "$0")/places.sh"

# copies NAME PACKAGE: one for each compiler, in $work/NAME/native and $work/NAME/ours.
copies() {
  "$here/fetch.sh" debian "$2" "$sources"
  rm -rf "${work:?}/$1" && mkdir -p "$work/$1/native" "$work/$1/ours"
  cp -a "$sources/$2/src/." "$work/$1/native"
  cp -a "$sources/$2/src/." "$work/$1/ours"
}

# both NAME COMMAND…: builds each copy, CC in the environment.
both() {
  local name=$1
  shift
  (cd "$work/$name/native" && CC=$clang quietly "$work/$name.native.log" "$@")
  (cd "$work/$name/ours" && CC=symcrete-cc quietly "$work/$name.ours.log" "$@")
}

# same NAME WHAT COMMAND…: runs it in both copies and in both bodies; outputs and ends must agree.
same() {
  local name=$1 what=$2 expected fast tracking
  shift 2
  expected=$(cd "$work/$name/native" && "$@" 2>&1; echo "exit $?")
  fast=$(cd "$work/$name/ours" && "$@" 2>&1; echo "exit $?")
  tracking=$(cd "$work/$name/ours" && SYMCRETE_BODY=tracking "$@" 2>&1; echo "exit $?")
  [ "$expected" = "$fast" ] || fail "$name, $what: the fast body says $(tail -n 3 <<<"$fast"), native $(tail -n 3 <<<"$expected")"
  [ "$expected" = "$tracking" ] || fail "$name, $what: the tracking body says $(tail -n 3 <<<"$tracking"), native $(tail -n 3 <<<"$expected")"
  say "$name, $what: $(wc -l <<<"$expected") lines, the same three times"
}

# campaign NAME SEED FLAGS…: a harness of ours, compiled with the copy's sources.
campaign() {
  local name=$1 seed=$2
  shift 2
  [ -n "${EXPLORE:-}" ] || return 0
  (
    cd "$work/$name/ours"
    quietly "$work/$name.harness.log" symcrete-cc -O2 -g -w "$here/harness/$name.c" "$@" -o harness
    mkdir -p seeds
    printf %b "$seed" >seeds/1
    say "$name, campaign:"
    explore ./harness "$work/$name/out" --max-len 48 --max-cpu "$EXPLORE" --seeds seeds
  )
}

lua() {
  copies lua lua5.4
  # Debian's Makefile wants libtool and readline; the interpreter itself wants neither.
  both lua bash -c 'cd src && rm luac.c && echo "#define DEB_HOST_MULTIARCH \"\"" >lua5.4-deb-multiarch.h && $CC -O2 -w -std=gnu99 -DLUA_USE_POSIX *.c -lm -o lua'
  same lua "a script" src/lua "$here/small.lua"
  same lua "errors" src/lua -e 'local t = nil; print(pcall(function() return t.x end)); error({})'
  # Its strings are hashed with a seed from clock and addresses; a campaign wants runs that repeat.
  campaign lua 'local t={1} for i=1,3 do t[i]=("x"):rep(i) end' -std=gnu99 '-Dluai_makeseed(l)=1u' -Isrc $(cd "$work/lua/ours" && ls src/*.c | grep -v 'src/lua\.c') -lm
}

zlib() {
  copies zlib zlib
  both zlib bash -c './configure --static && make -s libz.a example minigzip'
  same zlib "its own example" ./example
  same zlib "compressing" bash -c './minigzip -9 <ChangeLog | cksum; ./minigzip -1 <ChangeLog | ./minigzip -d | cksum'
  same zlib "damage" bash -c 'printf "\037\213\010\000junk that is no deflate stream" | ./minigzip -d'
  campaign zlib 'zx\0234\0313H\0315\0311\0311\0007\0000\0006,\0002\0025' -I. libz.a
}

cjson() {
  copies cjson cjson
  both cjson bash -c '$CC -O2 -w cJSON.c test.c -lm -o cJSON_test && for t in parse_examples print_number parse_number minify_tests misc_tests compare_tests parse_with_opts; do $CC -O2 -w -Itests/unity/src -I. tests/$t.c tests/unity/src/unity.c -lm -o $t; done'
  same cjson "its own program" ./cJSON_test
  local test
  for test in parse_examples print_number parse_number minify_tests misc_tests compare_tests parse_with_opts; do
    same cjson "$test" bash -c "cd tests && ../$test"
  done
  campaign cjson '{"a": [1.5, true, "\\\\u0041"]}' -I. cJSON.c -lm
}

# Corners of C and C++ themselves.
language() {
  mkdir -p "$work/language"
  cd "$work/language"
  local features=$root/tests/real/features kind body
  $clang -O2 -w "$features/language.c" -lm -lpthread -o native-c
  symcrete-cc -O2 -w "$features/language.c" -lm -lpthread -o ours-c
  clang++-22 -std=c++20 -O2 -w "$features/language.cpp" -lpthread -o native-c++
  symcrete-c++ -std=c++20 -O2 -w "$features/language.cpp" -lpthread -o ours-c++
  for kind in c c++; do
    { ./native-$kind && echo "exit 0" || echo "exit $?"; } >expected 2>&1
    for body in fast tracking; do
      { SYMCRETE_BODY=$body ./ours-$kind && echo "exit 0" || echo "exit $?"; } >found 2>&1
      diff expected found || fail "language, $kind: the $body body says something else"
    done
    say "language, $kind: $(wc -l <expected) lines, the same three times"
  done
}

bc() {
  need flex bison ed
  copies bc bc
  both bc bash -c './configure CC="$CC" && again="AUTOMAKE=: AUTOCONF=: ACLOCAL=: AUTOHEADER=:" && make -s $again -C lib && make -s $again -C bc bc'
  same bc "a script" bash -c "bc/bc -lq '$here/small.bc' </dev/null"
}

[ $# -gt 0 ] || set -- lua zlib cjson bc language
need dpkg-dev make
for name in "$@"; do
  "$name"
done
say "good"
