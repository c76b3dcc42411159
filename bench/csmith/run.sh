#!/usr/bin/env bash
# Programs of csmith, three ways: the fast body and the tracking body print the native checksum, and a tracked
# run with all globals as inputs gives that checksum too, every node of its trace recomputed (--self-check).
#
#   bench/csmith/run.sh [FIRST [COUNT]]     COUNT programs from seed FIRST on; 1 and 5000 without arguments
#   SMALL=1                                 short programs, seconds each
#   MORE=N                                  then N inputs of the engine's own choice, self-check on
#   KEEP=DIR                                what failed stays there (default: target/csmith)
#   STAGE=DIR                               the tool (default: target/stage)
#
# Exit 1 when any program failed. Programs that do not end natively within five CPU-seconds are skipped, counted
# and not part of COUNT; the limit is CPU time so that the same seeds count on a busy machine.
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
stage=${STAGE:-${SYMCRETE_STAGE:-$root/target/stage}}
keep=${KEEP:-$root/target/csmith}
first=${1:-1}
count=${2:-5000}
# What csmith writes with floats breaks C's rules on types, not ours.
flags="-w -Wno-incompatible-pointer-types -Wno-c++11-narrowing -fno-strict-aliasing -I/usr/include/csmith -I$here"
small=()
if [ -n "${SMALL:-}" ]; then
  small=(--max-funcs 3 --max-block-depth 2 --max-block-size 3 --max-expr-complexity 5 --max-array-len-per-dim 4)
fi

if ! command -v csmith >/dev/null || [ ! -e /usr/include/csmith/csmith.h ]; then
  echo "csmith: installing csmith and libcsmith-dev"
  as_root=(); [ "$(id -u)" = 0 ] || as_root=(sudo)
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends csmith libcsmith-dev >/dev/null || {
    "${as_root[@]}" apt-get update -q >/dev/null
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends csmith libcsmith-dev >/dev/null
  } || { echo "csmith: cannot be installed" >&2; exit 3; }
fi
mkdir -p "$keep"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# One seed in $work/SEED; says what is wrong, or nothing. 0 good, 1 failed, 2 skipped.
one() {
  local seed=$1 d=$work/$1 kind=() native="clang-22 $flags" ours="$stage/bin/symcrete-cc -O2 $flags" suffix=c
  # Most are plain C; some use compiler built-ins, floating point, or are C++.
  case $((seed % 8)) in
    5) kind=(--builtins) native="$native -msse4.2" ours="$ours -msse4.2" ;;
    6) kind=(--float) ;;
    7) kind=(--lang-cpp) native="clang++-22 $flags" ours="$stage/bin/symcrete-c++ -O2 $flags" suffix=cpp ;;
  esac
  mkdir -p "$d" && cd "$d" || return 1
  csmith --seed "$seed" "${kind[@]}" "${small[@]}" -o prog.$suffix >/dev/null 2>&1 || { echo "csmith gives no program"; return 2; }
  $native -O1 prog.$suffix -o native 2>err || { echo "clang refuses it"; return 2; }
  (ulimit -t 5; exec ./native) >expected 2>/dev/null || { echo "does not end natively"; return 2; }
  timeout 300 $ours prog.$suffix -o ours 2>err || { echo "does not compile: $(tail -n 1 err)"; return 1; }
  timeout 300 ./ours >fast 2>&1 || { echo "fast body ends with $?"; return 1; }
  cmp -s expected fast || { echo "fast body: $(tail -n 1 fast), native $(cat expected)"; return 1; }
  SYMCRETE_BODY=tracking timeout 600 ./ours >tracking 2>&1 || { echo "tracking body ends with $?"; return 1; }
  cmp -s expected tracking || { echo "tracking body: $(tail -n 1 tracking), native $(cat expected)"; return 1; }
  awk -f "$here/globals.awk" prog.$suffix >inputs.$suffix
  local sum
  sum=$(sed -n 's/^checksum = \([0-9A-F]*\)$/0x\1u/p' expected)
  [ -n "$sum" ] || { echo "prints no checksum"; return 2; }
  mkdir -p seeds
  $native -O1 -DEXPECTED="$sum" inputs.$suffix -x c "$here/initial.c" -x none -o initial 2>err || { echo "clang refuses the version with inputs"; return 2; }
  (ulimit -t 5; exec ./initial) >seeds/initial.json 2>err || { echo "native checksum depends on the address of globals"; return 2; }
  [ -s seeds/initial.json ] || { echo "no global can be an input"; return 2; }
  timeout 300 $ours -DEXPECTED="$sum" inputs.$suffix -o inputs 2>err || { echo "version with inputs does not compile: $(tail -n 1 err)"; return 1; }
  timeout 300 "$stage/bin/symcrete" run --target ./inputs --seeds seeds --max-iterations 1 --self-check \
    --timeout 120s --max-memory 4g --max-inputs 100000 --out out --quiet >said 2>&1
  local code=$?
  [ $code = 0 ] || { echo "inputs: exit $code: $(tail -n 1 said)"; return 1; }
  if grep -q '"what": *"replay:' out/summary.json; then
    echo "inputs: the tracked run ended otherwise: $(grep -o '"replay:[^"]*"' out/summary.json)"
    return 1
  fi
  [ -n "${MORE:-}" ] || return 0
  # Other values of the globals: there is no native checksum to compare with, and a crash may be real.
  timeout 300 $ours inputs.$suffix -o others 2>err || { echo "does not compile without a checksum"; return 1; }
  timeout 600 "$stage/bin/symcrete" run --target ./others --seeds seeds --max-iterations "$MORE" --strategy random-branch --max-cpu 60s --self-check \
    --timeout 5s --max-memory 4g --max-inputs 100000 --out more --quiet >said 2>&1
  code=$?
  [ $code -le 1 ] || { echo "more inputs: exit $code: $(tail -n 1 said)"; return 1; }
  if grep -q '"what": *"replay:' more/summary.json; then
    echo "more inputs: a tracked run ended otherwise: $(grep -o '"replay:[^"]*"' more/summary.json)"
    return 1
  fi
  return 0
}

figures() {
  [ -e "$1" ] && sed -n 's/^ *"\(tracked_executions\|flips\|diverged\)": *\([0-9]*\),*$/\1 \2/p' "$1" | paste -sd ' '
}

good=0 bad=0 skipped=0
for ((seed = first; good + bad < count; seed++)); do
  said=$(one "$seed"); code=$?
  case $code in
    0) good=$((good + 1)); [ -z "${SHOW:-}" ] || echo "seed $seed: good $(figures "$work/$seed/more/summary.json") $(tr -d '\n' <"$work/$seed/out/summary.json" | grep -o '"lost": *\[[^]]*\]')" ;;
    1) bad=$((bad + 1)); echo "seed $seed: FAILED: $said"; rm -rf "${keep:?}/$seed"; cp -r "$work/$seed" "$keep/$seed" ;;
    *) skipped=$((skipped + 1)); [ -z "${SHOW:-}" ] || echo "seed $seed: skipped: $said" ;;
  esac
  rm -rf "${work:?}/$seed"
done
echo "csmith, seeds $first to $((seed - 1)): $good good, $bad failed, $skipped skipped"
[ "$bad" = 0 ]
