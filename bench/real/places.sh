# Sourced by the scripts here: where the tool, the sources and the builds are, and how a check is said.
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
stage=${STAGE:-${SYMCRETE_STAGE:-$root/target/stage}}
sources=${SYMCRETE_CACHE:-${HOME:?}/.cache/symcrete}/sources
work=${WORK:-$root/target/real}
clang=clang-22
[ -x "$stage/bin/symcrete" ] || { echo "no tool in $stage: run make build" >&2; exit 3; }
PATH=$stage/bin:$PATH
export PATH
mkdir -p "$sources" "$work"

say() { printf '%s: %s\n' "$(basename "$0" .sh)" "$*"; }
fail() { say "FAILED: $*" >&2; exit 1; }

# need PACKAGE…: Debian packages a program's own build asks for.
need() {
  local missing=() package
  for package in "$@"; do
    [ "$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null || true)" = installed ] || missing+=("$package")
  done
  [ ${#missing[@]} = 0 ] && return
  say "installing ${missing[*]}"
  local as_root=()
  [ "$(id -u)" = 0 ] || as_root=(sudo)
  local install=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "${missing[@]}")
  "${install[@]}" >/dev/null 2>&1 || { "${as_root[@]}" apt-get update -q >/dev/null 2>&1; "${install[@]}" >/dev/null 2>&1; } || {
    say "cannot install ${missing[*]}" >&2
    exit 3
  }
}

# quietly LOG COMMAND…: output to a file, its end shown when the command fails.
quietly() {
  local log=$1
  shift
  "$@" >"$log" 2>&1 || { tail -n 25 "$log" >&2; fail "$* (all of it in $log)"; }
}

# explore PROGRAM OUT BUDGET ARGS…: a campaign with the self-check; bugs are listed, not fatal.
explore() {
  local program=$1 out=$2 code=0
  shift 2
  rm -rf "$out"
  symcrete run --target "$program" --self-check --out "$out" "$@" >"$out.said" 2>&1 || code=$?
  grep -E '^  (branches|tests|runs|solver|time|bugs) ' "$out.said" || true
  if [ "$code" != 0 ] && [ "$code" != 1 ]; then
    tail -n 20 "$out.said" >&2
    fail "symcrete run ended with $code"
  fi
  lost "$out/summary.json"
}

# lost SUMMARY: names and counts, the largest first.
lost() {
  say "lost precision, by name:"
  tr -d '\n' <"$1" | sed 's/.*"lost": *\[\([^]]*\)\].*/\1/' | tr '}' '\n' |
    sed -n 's/.*"what": *"\([^"]*\)".*"where": *"\([^"]*\)".*"count": *\([0-9]*\).*/\3 \1 \2/p' | sort -rn >"$1.lost"
  awk '{ n[$2] += $1; p[$2]++ } END { for (w in n) printf "  %10d  %s, at %d places\n", n[w], w, p[w] }' "$1.lost" | sort -rn
}
