#!/usr/bin/env bash
# expat through its own configure: make check, both bodies, and a minute of exploring it.
set -euo pipefail
exec "$(dirname "$0")/../../bench/real/expat.sh" 60s
