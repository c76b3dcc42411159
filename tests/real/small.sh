#!/usr/bin/env bash
# Corners of the languages, an interpreter and a compressor: the same output natively and in both bodies.
set -euo pipefail
exec "$(dirname "$0")/../../bench/real/small.sh" language lua zlib
