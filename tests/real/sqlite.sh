#!/usr/bin/env bash
# SQLite: the same answers natively and in both bodies, and a minute of exploring it. Minutes of compiling.
set -euo pipefail
exec "$(dirname "$0")/../../bench/real/sqlite.sh" 60s
