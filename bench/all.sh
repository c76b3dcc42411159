#!/usr/bin/env bash
# Every bar: measures all groups, or the ones named, then prints one table of everything measured so far.
#
#   bench/all.sh [bodies|first_run|persistent|jobs|flips|coverage|floats|solving|compile|memory|lab]...
#
# SYMCRETE_STAGE names another staged or installed tree than target/stage. About half an hour on an idle machine of
# two cores; a group that fails does not stop the others, but the exit code tells.
set -uo pipefail
bench=$(cd "$(dirname "$0")" && pwd)
[ $# -gt 0 ] || set -- bodies first_run persistent jobs flips coverage floats solving compile memory
failed=()
for group; do
  echo "== $group"
  python3 "$bench/$group.py" || failed+=("$group")
done
echo
python3 "$bench/table.py"
[ ${#failed[@]} = 0 ] || { echo "not measured: ${failed[*]}" >&2; exit 1; }
