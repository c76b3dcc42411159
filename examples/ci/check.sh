#!/bin/sh
# What a CI job runs, whatever the server: explores PROGRAM, fails on bugs and lost coverage that are new since the
# baseline, and leaves files for the server to show. The first run has no baseline: then any bug fails.
#
#   PROGRAM='parser.c --stdin 64' examples/ci/check.sh
#
# The baseline is an output folder of an earlier run, in $BASELINE; keep OUT of the main branch as the next one.
set -eu
: "${PROGRAM:?name the sources and options of symcrete run, for example 'parser.c --stdin 64'}"
OUT=${OUT:-symcrete-out/ci}
BASELINE=${BASELINE:-symcrete-baseline}
CPU=${CPU:-60s}

set -- --out "$OUT" --max-cpu "$CPU"
if [ -f "$BASELINE/campaign.json" ]; then
    set -- "$@" --baseline "$BASELINE"
fi
code=0
# PROGRAM is several words on purpose.
# shellcheck disable=SC2086
symcrete run $PROGRAM "$@" || code=$?
# 0 nothing new, 1 something new; anything else is no result at all.
[ "$code" -le 1 ] || exit "$code"

symcrete export "$OUT" --format sarif --to symcrete-results
symcrete export "$OUT" --format junit --to symcrete-results
symcrete report "$OUT"
cp "$OUT/report/index.html" "$OUT/coverage.lcov" symcrete-results/
exit "$code"
