#!/usr/bin/env bash
# Vim, whole, built with our compiler through its own configure: that it edits, then campaigns in which what the function
# returns that reads a key is the input: hybrid beside random, depth-first and auto. The first campaign builds Vim anew
# for that, twice; the others use what it built.
#
#   bench/real/vim.sh [CPU-TIME [SEEDS]]      budget of each campaign, 10m without an argument; 1 seed
#   FEATURES=tiny|normal                      how much of Vim (default tiny)
set -euo pipefail
. "$(dirname "$0")/places.sh"
budget=${1:-10m}
seeds=${2:-1}

need dpkg-dev make libncurses-dev
"$here/fetch.sh" debian vim "$sources"
build=$work/vim
if [ ! -x "$build/src/vim" ]; then
  rm -rf "$build" && mkdir -p "$build"
  cp -a "$sources/vim/src/." "$build"
  cd "$build/src"
  quietly "$work/vim.configure.log" ./configure CC=symcrete-cc --with-features="${FEATURES:-tiny}" --disable-gui --without-x \
    --disable-nls --disable-channel --disable-acl --disable-gpm --disable-selinux --disable-smack
  quietly "$work/vim.make.log" make vim
fi
cd "$build/src"
say "built: $(./vim --version | head -n 1)"
printf 'ihello\033:wq! said\r' >keys
rm -f said
./vim -u NONE -i NONE -n -s keys -T dumb --not-a-term >/dev/null 2>&1 </dev/null || true
[ "$(cat said 2>/dev/null)" = hello ] || fail "it does not write what was typed"
say "it writes what was typed"
for how in hybrid "random --values uniform" "dfs --max-inputs 10" auto; do
  for seed in $(seq "$seeds"); do
    say "strategy $how, seed $seed"
    code=0
    # shellcheck disable=SC2086
    symcrete run --target ./vim --out "$build/out" --input-function vgetc --strategy $how --seed "$seed" \
      --max-cpu "$budget" --timeout 5s -- -u NONE -i NONE -n -T dumb --not-a-term >"$build/said" 2>&1 || code=$?
    [ "$code" -le 1 ] || { tail -n 20 "$build/said" >&2; fail "symcrete run ended with $code"; }
    grep -E '^  (branches|tests|runs|solver|time|bugs) ' "$build/said"
    cp "$build/out/summary.json" "$build/${how%% *}-$seed.json"
  done
done
say "good"
