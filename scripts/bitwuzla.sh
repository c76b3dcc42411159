#!/usr/bin/env bash
# Builds the solver library Bitwuzla, with CaDiCaL, once per version, and keeps it outside the checkout in
#   ${SYMCRETE_CACHE:-$HOME/.cache/symcrete}/bitwuzla-KEY/{lib,include}
# where KEY is the line in crates/solve/bitwuzla.version: Bitwuzla's version and the number of this recipe.
# All sources come from registry packages (two crates and a Debian package); nothing is downloaded in any other way.
# The result appears by one rename: a build that was killed leaves nothing that looks finished.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
key=$(cat "$here/../crates/solve/bitwuzla.version")
version=${key%-*}
cadical_crate=0.7.1 # carries CaDiCaL 2.1.3; later crates carry one that Bitwuzla does not fit
cache=${SYMCRETE_CACHE:-${HOME:?}/.cache/symcrete}
final=$cache/bitwuzla-$key

say() { printf 'setup: %s\n' "$*"; }
die() { printf 'setup: %s\n' "$*" >&2; exit 3; }

if [ -e "$final/lib/libbitwuzla.a" ]; then
  say "Bitwuzla $version is there: $final"
  exit 0
fi

mkdir -p "$cache"
exec 9>"$cache/.bitwuzla.lock"
if ! flock -n 9; then
  say "another set-up is building Bitwuzla, waiting for it"
  flock 9
fi
# Whoever held the lock may have finished the work; a killed one may have left its temporary folder.
if [ -e "$final/lib/libbitwuzla.a" ]; then
  say "Bitwuzla $version is there: $final"
  exit 0
fi
rm -rf "$cache"/.building-*
work=$(mktemp -d "$cache/.building-XXXXXX")
trap 'rm -rf "$work"' EXIT

say "fetching the sources of Bitwuzla $version and CaDiCaL with cargo"
mkdir "$work/fetch"
cat >"$work/fetch/Cargo.toml" <<EOF
[package]
name = "sources"
version = "0.0.0"
edition = "2021"
[lib]
path = "lib.rs"
[dependencies]
bitwuzla-sys = { version = "=$version", default-features = false }
rustsat-cadical = { version = "=$cadical_crate", default-features = false }
[workspace]
EOF
: >"$work/fetch/lib.rs"
(cd "$work/fetch" && cargo vendor --quiet --versioned-dirs vendor >/dev/null) ||
  die "cargo could not fetch the crates bitwuzla-sys $version and rustsat-cadical $cadical_crate; is the crates registry reachable?"
mv "$work/fetch/vendor/bitwuzla-sys-$version/bitwuzla" "$work/bitwuzla"
mv "$work/fetch/vendor/rustsat-cadical-$cadical_crate/cppsrc/src" "$work/cadical"
rm -rf "$work/fetch"

# The crate adds its own methods to CaDiCaL by four includes that name files we do not have.
sed -i '/^#include ".*_extension\.\(h\|hpp\|cpp\)"/d' "$work"/cadical/*.hpp "$work"/cadical/*.h "$work"/cadical/*.cpp

# Bitwuzla's own build would write this file; ours only has to answer the same questions.
cat >"$work/config.h" <<EOF
#ifndef BZLA_CONFIG_H_INCLUDED
#define BZLA_CONFIG_H_INCLUDED
namespace bzla::config {
static constexpr bool is_debug_build = false;
static constexpr const char* git_id = "";
static constexpr const char* version = "$version";
static constexpr const char* license = "MIT";
static constexpr const char* os = "linux";
static constexpr const char* cc = "";
static constexpr const char* cxx = "";
}
#endif
EOF

jobs=${JOBS:-$(nproc)}
say "compiling Bitwuzla $version once, with $jobs jobs: about five minutes of CPU time, kept in $cache"
# Not the flags of the make that may have called us: this one has its own job count and folder.
nice env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make --no-print-directory -s -C "$work" -f "$here/bitwuzla.mk" -j "$jobs" all ||
  die "Bitwuzla did not compile; the messages above say why"

say "trying it out"
cat >"$work/try.c" <<'EOF'
#include <bitwuzla/c/bitwuzla.h>
#include <stdlib.h>
/* x * 3 == 21 over 8 bits has exactly one solution, and no float is less than itself. */
int main(void) {
  BitwuzlaTermManager* tm = bitwuzla_term_manager_new();
  BitwuzlaOptions* options = bitwuzla_options_new();
  bitwuzla_set_option(options, BITWUZLA_OPT_PRODUCE_MODELS, 1);
  Bitwuzla* solver = bitwuzla_new(tm, options);
  BitwuzlaSort byte = bitwuzla_mk_bv_sort(tm, 8), f32 = bitwuzla_mk_fp_sort(tm, 8, 24);
  BitwuzlaTerm x = bitwuzla_mk_const(tm, byte, "x"), f = bitwuzla_mk_const(tm, f32, "f");
  BitwuzlaTerm product = bitwuzla_mk_term2(tm, BITWUZLA_KIND_BV_MUL, x, bitwuzla_mk_bv_value_uint64(tm, byte, 3));
  bitwuzla_assert(solver, bitwuzla_mk_term2(tm, BITWUZLA_KIND_EQUAL, product, bitwuzla_mk_bv_value_uint64(tm, byte, 21)));
  if (bitwuzla_check_sat(solver) != BITWUZLA_SAT) return 1;
  if (strtol(bitwuzla_term_value_get_str_fmt(bitwuzla_get_value(solver, x), 10), 0, 10) != 7) return 2;
  bitwuzla_assert(solver, bitwuzla_mk_term2(tm, BITWUZLA_KIND_FP_LT, f, f));
  return bitwuzla_check_sat(solver) == BITWUZLA_UNSAT ? 0 : 3;
}
EOF
gcc -I"$work/bitwuzla/include" "$work/try.c" "$work/libbitwuzla.a" "$work/libcadical.a" -lgmp -lstdc++ -lm -o "$work/try" &&
  "$work/try" || die "the freshly built Bitwuzla gives wrong answers or does not link; please report this with your compiler's version"

mkdir -p "$work/out/lib" "$work/out/share"
mv "$work/libbitwuzla.a" "$work/libcadical.a" "$work/out/lib/"
mv "$work/bitwuzla/include" "$work/out/include"
mv "$work/bitwuzla/COPYING" "$work/out/share/"
rm -rf "$final"
mv "$work/out" "$final"
say "Bitwuzla $version is ready: $final"
