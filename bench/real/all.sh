#!/usr/bin/env bash
# Everything about other people's programs, one after the other; what was said is kept in bench/runs/NAME.txt
# with the command, the tool and the machine that made it.
#
#   bench/real/all.sh [csmith|expat|grep|sqlite|tinyxml2|small]...
#   PROGRAMS=N      programs of csmith (default 5000)
#   BUDGET=TIME     CPU time of each campaign (default 5m)
set -uo pipefail
. "$(dirname "$0")/places.sh"
runs=$root/bench/runs
mkdir -p "$runs"
# A private copy: the tool must not change under a measurement.
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
cp -a "$stage/." "$copy"
export STAGE=$copy
tool=$(cd "$copy" && find . -type f | sort | xargs sha256sum | sha256sum | cut -c1-16)

[ $# -gt 0 ] || set -- csmith expat grep sqlite tinyxml2 small
failed=()
for name; do
  case $name in
    csmith) command=(bench/csmith/run.sh 1 "${PROGRAMS:-5000}") ;;
    expat | grep | sqlite) command=("bench/real/$name.sh" "${BUDGET:-5m}") ;;
    tinyxml2 | small) command=("bench/real/$name.sh") ;;
    *) echo "unknown: $name" >&2; exit 2 ;;
  esac
  echo "== ${command[*]}"
  {
    echo "command: ${command[*]}"
    echo "date: $(date -u '+%Y-%m-%d %H:%M UTC'), tool $tool, checkout $(git -C "$root" rev-parse --short HEAD), $(nproc) cores, load $(cut -d ' ' -f 1 /proc/loadavg)"
    (cd "$root" && "${command[@]}" 2>&1)
    echo "exit: $?"
  } | sed "s|$work|WORK|g; s|$root/||g" | tee "$runs/$name.txt.new"
  mv "$runs/$name.txt.new" "$runs/$name.txt"
  grep -q '^exit: 0$' "$runs/$name.txt" || failed+=("$name")
done
[ ${#failed[@]} = 0 ] || { echo "failed: ${failed[*]}" >&2; exit 1; }
