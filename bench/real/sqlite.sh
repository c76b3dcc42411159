#!/usr/bin/env bash
# SQLite's amalgamation: the same answers as a native build on a script of queries in both bodies, then a
# campaign on a harness with the self-check on.
#
#   bench/real/sqlite.sh [CPU-TIME]      budget of the campaign, 5m without an argument
set -euo pipefail
. "$(dirname "$0")/places.sh"
budget=${1:-5m}

"$here/fetch.sh" crate libsqlite3-sys 0.30.1 "$sources"
source=$sources/libsqlite3-sys/src/sqlite3
build=$work/sqlite
mkdir -p "$build"
cd "$build"
flags=(-O2 -g -w -DSQLITE_THREADSAFE=0 -DSQLITE_OMIT_LOAD_EXTENSION -I"$source")
seconds() { local TIMEFORMAT=%U; { time "$@"; } 2>&1; }
native=$(seconds $clang "${flags[@]}" -c "$source/sqlite3.c" -o native.o)
ours=$(seconds symcrete-cc "${flags[@]}" -c "$source/sqlite3.c" -o ours.o)
[ -s ours.o ] || fail "sqlite3.c does not compile: $ours"
say "compile time: clang $native s, ours $ours s: $(awk "BEGIN { printf \"%.1f\", $ours / $native }") times (bar 5)"
$clang "${flags[@]}" "$here/sqlite_queries.c" native.o -lm -o queries-native
symcrete-cc "${flags[@]}" "$here/sqlite_queries.c" ours.o -lm -o queries
./queries-native "$here/sqlite_queries.sql" >expected
./queries "$here/sqlite_queries.sql" >fast || fail "fast body ends with $?"
cmp expected fast || fail "fast body answers otherwise"
SYMCRETE_BODY=tracking ./queries "$here/sqlite_queries.sql" >tracking || fail "tracking body ends with $?"
cmp expected tracking || fail "tracking body answers otherwise"
say "$(grep -c . expected) lines of answers, the same natively and in both bodies"
symcrete-cc "${flags[@]}" "$here/harness/sqlite.c" ours.o -lm -o harness
mkdir -p seeds
printf 'select a, b from t where a > 1;' >seeds/1
printf "insert into t values(3,'x');" >seeds/2
explore ./harness "$build/out" --max-len 40 --max-cpu "$budget" --seeds seeds
say "good"
