#!/usr/bin/env bash
# Vim, whole, built with our compiler through its own configure: that it edits, then campaigns in which the function is the
# input that hands Vim what was typed (`mch_inchar`: up to four bytes at a time, or none yet): hybrid beside random,
# depth-first and auto. Mappings, pending keys, repeated commands and escape sequences all work as with a terminal.
# The first campaign builds Vim anew for that, twice; the others use what it built.
#
#   bench/real/vim.sh [CPU-TIME [SEEDS]]      budget of each campaign, 10m without an argument; 1 seed
#   bench/real/vim.sh built                   only the building
#   bench/real/vim.sh native                  by plain clang -O2, with the same function replaced when it is linked
#   FEATURES=tiny|normal                      how much of Vim (default tiny)
#   OUT=DIR                                   where campaigns write, and where Vim is built for them
#
# bench/vim.py makes the table of it.
set -euo pipefail
. "$(dirname "$0")/places.sh"
what=${1:-10m}
seeds=${2:-1}
build=$work/vim
out=${OUT:-$build/out}
reads=(--input-function mch_inchar:4)
typed=(-u NONE -i NONE -n -T xterm --not-a-term)

need dpkg-dev make libncurses-dev
"$here/fetch.sh" debian vim "$sources"

# configured FOLDER COMPILER
configured() {
  rm -rf "$1" && mkdir -p "$1"
  cp -a "$sources/vim/src/." "$1"
  cd "$1/src"
  quietly "$1/configure.log" ./configure CC="$2" --with-features="${FEATURES:-tiny}" --disable-gui --without-x \
    --disable-nls --disable-channel --disable-acl --disable-gpm --disable-selinux --disable-smack
}

# campaign HOW SEED BUDGET: random inputs, or whatever HOW names.
campaign() {
  local code=0
  # shellcheck disable=SC2086
  symcrete run --target "$build/src/vim" --out "$out" "${reads[@]}" --strategy $1 --seed "$2" --timeout 5s $3 \
    -- "${typed[@]}" >"$build/said" 2>&1 || code=$?
  [ "$code" -le 1 ] || { tail -n 20 "$build/said" >&2; fail "symcrete run ended with $code"; }
}

if [ ! -x "$build/src/vim" ]; then
  configured "$build" symcrete-cc
  quietly "$build/make.log" make -j2 vim
fi
cd "$build/src"
if [ "$what" = built ]; then
  exit
fi
if [ "$what" = native ]; then
  # What is asked for in the function's place is what the campaigns ask for; the linker puts it there.
  [ -e "$out/build/inputs/symcrete_harness.c" ] || campaign random 1 "--max-iterations 1"
  native=$work/vim-native
  [ -e "$native/src/auto/config.mk" ] || configured "$native" "$clang"
  cd "$native/src"
  printf '%s\n' "#include \"$out/build/inputs/symcrete_harness.c\"" 'int __wrap_mch_inchar(char *buffer, int size, long time, int count);' \
    'int __wrap_mch_inchar(char *buffer, int size, long time, int count) { int n; (void)time, (void)count; symcrete_input_0(&n, buffer, size); return n; }' >typed.c
  quietly "$native/make.log" "$clang" -O2 -c typed.c -o typed.o -I "$stage/include/symcrete"
  quietly "$native/make.log" make -j2 vim EXTRA_LIBS="-Wl,--wrap=mch_inchar -Wl,-u,symcrete_replay_buffer $PWD/typed.o $stage/lib/symcrete/libsymcrete_replay.a"
  exit
fi
say "built: $(./vim --version | head -n 1)"
printf 'ihello\033:wq! said\r' >keys
rm -f said
./vim -u NONE -i NONE -n -s keys -T dumb --not-a-term >/dev/null 2>&1 </dev/null || true
[ "$(cat said 2>/dev/null)" = hello ] || fail "it does not write what was typed"
say "it writes what was typed"
for how in hybrid "random --values uniform" "dfs --max-inputs 10" auto; do
  for seed in $(seq "$seeds"); do
    say "strategy $how, seed $seed"
    campaign "$how" "$seed" "--max-cpu $what"
    grep -E '^  (branches|tests|runs|solver|time|bugs) ' "$build/said"
    cp "$out/summary.json" "$build/${how%% *}-$seed.json"
  done
done
say "good"
