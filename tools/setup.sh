#!/usr/bin/env bash
# setup.sh [--optional] [LIST...]: installs the Debian packages that the lists name and this machine
# lacks, without starting what they bring; "npm (npm)" is the package npm, unless a program npm is there
# from elsewhere. Says nothing when all are there. Exit 2: some are missing and we may not install
# them; with --optional, which installs only as root, that is told and fine.
set -euo pipefail
cd "$(dirname "$0")/.."
optional=
if [ "${1:-}" = --optional ]; then
  optional=1
  shift
fi
[ $# -gt 0 ] || set -- tools/packages.txt

listed() { # the packages, without those whose program is there
  sed 's/#.*//; /^[[:space:]]*$/d; s/[()]//g' "$@" | while read -r package program; do
    [ -n "$program" ] && command -v "$program" >/dev/null || echo "$package"
  done | sort -u
}

mapfile -t wanted < <(listed "$@")
if ! command -v dpkg-query >/dev/null; then
  echo "setup: not a Debian system; this needs the like of: ${wanted[*]}" >&2
  exit 0
fi
mapfile -t missing < <(
  dpkg-query -W -f '${db:Status-Status} ${Package}\n' "${wanted[@]}" 2>/dev/null |
    sed -n 's/^installed //p' | sort -u | comm -13 - <(printf '%s\n' "${wanted[@]}")
)
[ ${#missing[@]} -gt 0 ] || exit 0

install="apt-get update && apt-get install -y --no-install-recommends ${missing[*]}"
if [ "$(id -u)" = 0 ]; then
  as_root=(env)
elif [ -n "$optional" ]; then
  echo "setup: going on without ${missing[*]}, which only root installs" >&2
  exit 0
elif command -v sudo >/dev/null && { [ -t 0 ] || sudo -n true 2>/dev/null; }; then
  as_root=(sudo env)
else
  echo "setup: missing packages; please run as root:" >&2
  echo "$install" >&2
  exit 2
fi

echo "setup: installing ${missing[*]}" >&2
log=$(mktemp)
no_starts=
clean_up() {
  rm -f "$log"
  [ -z "$no_starts" ] || rm -f "$no_starts"
}
trap clean_up EXIT
if [ -n "$optional" ] && [ ! -e /usr/sbin/policy-rc.d ]; then # how Debian is told to start no daemon
  no_starts=/usr/sbin/policy-rc.d
  printf '#!/bin/sh\nexit 101\n' >"$no_starts"
  chmod 755 "$no_starts"
fi
"${as_root[@]}" DEBIAN_FRONTEND=noninteractive sh -c "$install" >"$log" 2>&1 </dev/null || {
  if [ -n "$optional" ]; then # half of it would stand in the way of all that is installed later
    "${as_root[@]}" DEBIAN_FRONTEND=noninteractive apt-get purge -y "${missing[@]}" >/dev/null 2>&1 </dev/null || true
    echo "setup: these could not be had, going on without: ${missing[*]}" >&2
    exit 0
  fi
  tail -n 30 "$log" >&2
  echo "setup: that failed; by hand it is: $install" >&2
  exit 2
}
