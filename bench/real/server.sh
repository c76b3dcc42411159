#!/usr/bin/env bash
# micro_httpd, a small HTTP server that inetd starts, built with our compiler through its own makefile: one answer
# compared with that of a native build, then campaigns over its connection, each with the self-check.
#
#   bench/real/server.sh [CPU-TIME]     budget of each campaign, 1m without an argument
set -euo pipefail
. "$(dirname "$0")/places.sh"
budget=${1:-1m}

need dpkg-dev make
"$here/fetch.sh" debian micro-httpd "$sources"
build=$work/server
rm -rf "$build" && mkdir -p "$build/pages"
cp -a "$sources/micro-httpd/src/." "$build"
cd "$build"
printf '<p>page</p>\n' >pages/index.html
quietly "$work/server.native.log" make CC="$clang" micro_httpd
mv micro_httpd native
rm -f ./*.o
quietly "$work/server.make.log" make CC=symcrete-cc micro_httpd
for request in 'GET / HTTP/1.0' 'GET /%69ndex.html HTTP/1.1' 'GET /none HTTP/1.0' 'PUT / HTTP/1.0' 'nonsense'; do
  for program in native micro_httpd; do
    # It ends with 1 where its answer is an error.
    { printf '%s\r\n\r\n' "$request" | ./$program pages || true; } | grep -v '^Date:' >"$program.answer"
  done
  cmp -s native.answer micro_httpd.answer || fail "another answer to $request"
done
say "five answers are the native ones"
for strategy in hybrid auto random; do
  say "strategy $strategy"
  explore ./micro_httpd "$build/out-$strategy" --socket 200 --strategy "$strategy" --max-cpu "$budget" -- .
done
say "good"
