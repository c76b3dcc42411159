#!/usr/bin/env bash
# Brings a Debian 12 machine with a Rust toolchain to the point where everything in this repository builds and runs.
# Idempotent: looks first, installs only what is missing, and takes about a second when nothing is.
#
#   scripts/setup.sh [VERSION…]     of LLVM; without any, those that Debian 12 has: 22, and 19 as the oldest we support
#
# It must never touch the checkout: Bitwuzla goes to the cache (see scripts/bitwuzla.sh), the rest comes from apt-get.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)

say() { printf 'setup: %s\n' "$*"; }
die() { printf 'setup: %s\n' "$*" >&2; exit 3; }

cache=${SYMCRETE_CACHE:-$HOME/.cache/symcrete}

# package and what we need it for, so that the list explains itself when it is printed
packages=(
  "g++                 builds Bitwuzla and the plugin's C++ part"
  "libc6-dev           C headers and start files"
  "libsymfpu-dev       floating-point part of Bitwuzla"
  "libgmp-dev          big numbers of Bitwuzla"
  "zlib1g-dev          asked for by LLVM's headers"
  "libzstd-dev         asked for by LLVM's headers"
)
llvm_packages() {
  packages+=(
    "clang-$1            the compiler the plugin runs in"
    "lld-$1              the linker of instrumented programs"
    "llvm-$1             llvm-cov, llvm-profdata, llvm-config"
    "llvm-$1-dev         headers the plugin is built against"
    "libclang-rt-$1-dev  sanitizers and profile runtime for replay builds"
  )
}
versions=("$@")
[ $# -gt 0 ] || versions=(22 19)

installed() { [ "$(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null || true)" = installed ]; }

may_install() { [ "$(id -u)" = 0 ] || command -v sudo >/dev/null; }
as_root() { if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi; }

refreshed=
refresh() {
  [ -z "$refreshed" ] && may_install || return 0
  refreshed=yes
  say "refreshing the package lists"
  # One broken third-party list must not stop us; what counts is whether the install below succeeds.
  as_root apt-get update -q || say "apt-get update had complaints, going on"
}

# The lists of a fresh machine may be older than the package; where it is missing in fresh ones, too, they are not asked
# for again the same day.
offered() {
  apt-cache show "$1" >/dev/null 2>&1 && return
  [ -z "$(find "$cache/asked" -mtime -1 2>/dev/null)" ] && refresh && mkdir -p "$cache" && touch "$cache/asked"
  apt-cache show "$1" >/dev/null 2>&1
}

command -v cargo >/dev/null || die "no cargo on PATH. Install a Rust toolchain first, for example with rustup."

if command -v apt-get >/dev/null && command -v dpkg-query >/dev/null; then
  for version in "${versions[@]}"; do
    # One that nobody asked for by name is left out where apt has never heard of it.
    if [ $# -gt 0 ] || installed "clang-$version" || offered "clang-$version"; then
      llvm_packages "$version"
    else
      say "apt has no clang-$version: going on without it"
    fi
  done
  missing=()
  for line in "${packages[@]}"; do
    name=${line%% *}
    if ! installed "$name"; then
      say "missing: $line"
      missing+=("$name")
    fi
  done
  if [ ${#missing[@]} -gt 0 ]; then
    may_install || die "not root and no sudo. As root, run: apt-get install ${missing[*]}"
    refresh
    say "installing ${missing[*]}"
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "${missing[@]}" ||
      die "apt-get could not install: ${missing[*]}. Debian 12 has them in bookworm and bookworm-security; check that both are in the apt sources."
  else
    say "all ${#packages[@]} Debian packages are there"
  fi
else
  say "this is no Debian: not installing packages, only looking for the tools"
  [ $# -gt 0 ] || versions=(22 21 20 19)
  found=()
  for version in "${versions[@]}"; do
    command -v "clang-$version" >/dev/null && command -v "llvm-config-$version" >/dev/null && found+=("$version")
  done
  [ ${#found[@]} -gt 0 ] || die "missing: clang-N and llvm-config-N for N one of ${versions[*]}"
  command -v g++ >/dev/null || die "missing: g++"
  say "LLVM ${found[*]}"
fi

"$here/bitwuzla.sh"

# Z3, as an independent judge (`--cross-check`). Optional: without it everything else works, and its tests say that they
# were left out.
if [ -x "$cache/z3/bin/z3" ]; then
  say "Z3 is there"
elif ! command -v python3 >/dev/null; then
  say "no python3: without Z3, which only --cross-check needs"
else
  say "installing z3-solver from PyPI into $cache/z3"
  made=$(mktemp -d "$cache/z3.XXXXXX")
  if python3 -m venv "$made/z3" && "$made/z3/bin/pip" install -q --disable-pip-version-check z3-solver && [ -x "$made/z3/bin/z3" ]; then
    # Only the program is used, and it may be moved.
    rm -rf "$cache/z3" && mkdir -p "$cache/z3/bin" && mv "$made/z3/bin/z3" "$cache/z3/bin/z3"
  else
    say "z3-solver could not be installed (python3-venv may be missing): going on without --cross-check"
  fi
  rm -rf "$made"
fi
say "done"
