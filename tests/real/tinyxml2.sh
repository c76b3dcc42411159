#!/usr/bin/env bash
# A C++ library's own tests in both bodies.
set -euo pipefail
exec "$(dirname "$0")/../../bench/real/tinyxml2.sh"
