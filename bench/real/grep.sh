#!/usr/bin/env bash
# GNU grep, built with our compiler through its own configure: the same answers natively and in both bodies, then a
# campaign on a harness over its matcher with the self-check on.
#
#   bench/real/grep.sh [CPU-TIME]      budget of the campaign, 5m without an argument
set -euo pipefail
. "$(dirname "$0")/places.sh"
budget=${1:-5m}

as_it_is=(AUTOMAKE=: AUTOCONF=: ACLOCAL=: AUTOHEADER=:)
need dpkg-dev make
"$here/fetch.sh" debian grep "$sources"
rm -rf "${work:?}/grep" && mkdir -p "$work/grep/native" "$work/grep/ours"
for way in native ours; do
  cp -a "$sources/grep/src/." "$work/grep/$way"
  cc=$clang
  [ $way = native ] || cc=symcrete-cc
  (
    cd "$work/grep/$way"
    # Its own regular expressions instead of the C library's: they are part of the matcher.
    quietly "$work/grep.$way.configure.log" ./configure CC="$cc" --with-included-regex --disable-nls --disable-perl-regexp
    # What its authors generated is not generated again.
    quietly "$work/grep.$way.lib.log" make "${as_it_is[@]}" -C lib
    quietly "$work/grep.$way.make.log" make "${as_it_is[@]}" -C src grep
  )
done

# answers WAY: what it says to patterns of many kinds over its own sources.
answers() {
  local pattern
  cd "$work/grep/native/src"
  for pattern in 'int' '^static.*(' '\(.\)\1\1' '[[:upper:]]\{3,\}' '\<d[a-z]*s\>' 'a\|b$' '[^a-z]*=$' '\(' 'x\{2' '[b-a]'; do
    for option in -c -ci -cw -cx -cE; do
      "$work/grep/$1/src/grep" $option -e "$pattern" dfasearch.c kwset.c 2>&1 || true
    done
  done | sed "s|$work/grep/$1/||g"
}
expected=$(answers native)
[ "$expected" = "$(answers ours)" ] || fail "the fast body answers otherwise"
[ "$expected" = "$(SYMCRETE_BODY=tracking answers ours)" ] || fail "the tracking body answers otherwise"
say "$(wc -l <<<"$expected") answers, the same three times"

cd "$work/grep/ours"
matcher=(src/dfasearch src/kwset src/searchutils lib/dfa lib/localeinfo lib/regex lib/xmalloc lib/ialloc lib/mbrtowc lib/mbrlen
  lib/memchr2 lib/malloc/dynarray_resize lib/hard-locale lib/obstack lib/setlocale_null lib/exitfail)
renamed=(-Dexit=give_up -Dmalloc=room_malloc -Dcalloc=room_calloc -Drealloc=room_realloc -Dreallocarray=room_reallocarray -Dfree=room_free)
quietly "$work/grep.harness.log" symcrete-cc -O2 -g -w -DHAVE_CONFIG_H -I. -Ilib -Isrc "${renamed[@]}" "$here/harness/grep.c" "${matcher[@]/%/.c}" -o harness
mkdir -p seeds
printf '\010(a|b)*c[[:digit:]]\\1x{2,3}\0abac7axx\n' >seeds/1
explore ./harness "$work/grep/out" --max-len 48 --max-cpu "$budget" --seeds seeds
say "good"
