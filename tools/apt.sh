#!/usr/bin/env bash
# Installs packages of Debian or Ubuntu, as root; for everybody else it says what to install.
# Usage: tools/apt.sh "what it is for" package ...
set -euo pipefail
purpose=$1
shift
if [[ $EUID -ne 0 ]] || ! command -v apt-get >/dev/null; then
  if command -v apt-get >/dev/null; then advice="sudo apt-get install $*"; else advice="install what your system calls: $*"; fi
  echo "GeoAgent needs $purpose, which is not here. Please do this, then run make again: $advice" >&2
  exit 1
fi
echo "Installing $* by apt ..." >&2
export DEBIAN_FRONTEND=noninteractive
install() { apt-get -y -qq --no-install-recommends -o DPkg::Lock::Timeout=300 -o Dpkg::Use-Pty=0 install "$@" >/dev/null 2>"$log"; }
log=$(mktemp)
trap 'rm -f "$log"' EXIT
# Lists may be missing or name versions that are gone; then they are fetched again, once.
install "$@" || { apt-get -qq update && install "$@"; } || { cat "$log" >&2; exit 1; }
