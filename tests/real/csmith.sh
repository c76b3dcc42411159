#!/usr/bin/env bash
# A dozen short programs of csmith, in both bodies and with all globals as inputs.
set -euo pipefail
SMALL=1 KEEP=$WORK/csmith exec "$(dirname "$0")/../../bench/csmith/run.sh" 1 12
