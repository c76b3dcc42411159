#!/usr/bin/env bash
# Sources of other people's programs, from the package registries this machine already uses.
#
#   fetch.sh debian NAME DIR     a Debian source package, unpacked, its patches applied: DIR/NAME
#   fetch.sh crate NAME VERSION DIR   a crate's sources: DIR/NAME
#
# Nothing of the machine's own configuration is changed: apt reads a sources list of ours, derived from its own.
set -euo pipefail
die() { echo "fetch: $*" >&2; exit 3; }

debian() {
  local name=$1 to=$2
  [ -e "$to/$name/.complete" ] && return
  command -v apt-get >/dev/null && command -v dpkg-source >/dev/null || die "apt-get and dpkg-source (package dpkg-dev) are needed for the sources of $name"
  local apt
  apt=$(mktemp -d)
  mkdir -p "$apt/lists/partial" "$apt/cache" "$apt/parts"
  # Both forms an apt list may have, turned from packages into sources.
  local file
  for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
    [ -e "$file" ] && sed -n 's/^deb \(.*\)/deb-src \1/p' "$file" >>"$apt/sources.list"
  done
  for file in /etc/apt/sources.list.d/*.sources; do
    [ -e "$file" ] && sed 's/^Types:.*/Types: deb-src/' "$file" >"$apt/parts/$(basename "$file")"
  done
  touch "$apt/sources.list"
  local options=(-q -o "Dir::Etc::SourceList=$apt/sources.list" -o "Dir::Etc::SourceParts=$apt/parts" -o "Dir::State::Lists=$apt/lists" -o "Dir::Cache=$apt/cache" -o APT::Sandbox::User=root)
  apt-get "${options[@]}" update >"$apt/log" 2>&1 || die "the lists of source packages cannot be read: $(tail -n 1 "$apt/log")"
  rm -rf "${to:?}/$name" && mkdir -p "$to/$name/download"
  # Mirrors exist that lack the packaging of some versions; the authors' archive is what is compiled anyway.
  (
    cd "$to/$name/download"
    apt-get "${options[@]}" source "$name" >"$apt/log" 2>&1 || {
      echo "fetch: $name without Debian's own changes: $(grep -m 1 '^E:' "$apt/log" | sed 's/ [a-z]*:\/\/[^ ]*//')" >&2
      apt-get "${options[@]}" --tar-only source "$name" >"$apt/log" 2>&1
      rm -rf ./*/
      tar xf ./*.orig.tar.*[a-z2]
    }
  ) || die "no sources of $name: $(tail -n 1 "$apt/log")"
  local folder
  folder=$(find "$to/$name/download" -mindepth 1 -maxdepth 1 -type d | head -n 1)
  mv "$folder" "$to/$name/src"
  rm -rf "$to/$name/download" "$apt"
  touch "$to/$name/.complete"
}

crate() {
  local name=$1 version=$2 to=$3
  [ -e "$to/$name/.complete" ] && return
  local dummy
  dummy=$(mktemp -d)
  mkdir "$dummy/src" && touch "$dummy/src/lib.rs"
  printf '[package]\nname = "dummy"\nversion = "0.0.0"\nedition = "2021"\n[workspace]\n[dependencies]\n%s = "=%s"\n' "$name" "$version" >"$dummy/Cargo.toml"
  (cd "$dummy" && cargo vendor -q --versioned-dirs vendor >/dev/null) || die "cargo vendor of $name failed"
  rm -rf "${to:?}/$name" && mkdir -p "$to/$name"
  mv "$dummy/vendor/$name-$version" "$to/$name/src"
  rm -rf "$dummy"
  touch "$to/$name/.complete"
}

case ${1:-} in
  debian) debian "$2" "$3" ;;
  crate) crate "$2" "$3" "$4" ;;
  *) sed -n '2,8s/^# \{0,1\}//p' "$0"; exit 2 ;;
esac
