#!/usr/bin/env bash
# Proves `make demo` and `make test` on a bare Debian bookworm that has only git and make: bootstraps
# one into a temporary folder, clones the last commit into it, runs both and prints the times.
# Packages come from where this machine gets its own. FRESH="make test" chooses other commands.
set -euo pipefail
cd "$(dirname "$0")/.."
commands=${FRESH:-make demo; make test}

[ "$(id -u)" = 0 ] || { echo "fresh: needs root, for debootstrap and chroot" >&2; exit 2; }
command -v debootstrap >/dev/null || { echo "fresh: please run: apt-get install debootstrap" >&2; exit 2; }

root=$(mktemp -d)
chmod 755 "$root" # as / is: packages bring users of their own
clean_up() {
  ! mountpoint -q "$root/proc" || umount "$root/proc"
  rm -rf --one-file-system "$root"
}
trap clean_up EXIT

say() { printf -- '-- %s\n' "$*"; }
timed() { # timed NAME COMMAND...
  local begun=$SECONDS
  say "$1"
  "${@:2}"
  say "$1: $((SECONDS - begun)) s"
}

bootstrap() {
  local mirror
  # shellcheck disable=SC2016 # the format is apt's
  mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' | grep -m 1 '/debian/*$' || true)
  debootstrap --variant=minbase --include=ca-certificates,git,make bookworm "$root" ${mirror:+"$mirror"} >"$root.log" 2>&1 || {
    tail -n 20 "$root.log" >&2
    return 1
  }
  rm -f "$root.log"
}

as_this_machine() { # the Debian sources, the proxy and the names, nothing else
  grep -lrsF debian-archive-keyring /etc/apt/sources.list.d | xargs -r cp -t "$root/etc/apt/sources.list.d"
  apt-config dump | grep -E '^Acquire::https?::' >"$root/etc/apt/apt.conf.d/99host" || true
  cp /etc/resolv.conf /etc/hosts "$root/etc/"
  mount -t proc proc "$root/proc" 2>/dev/null || say "no /proc inside: going on without"
}

inside() {
  chroot "$root" /usr/bin/env -i HOME=/root LC_ALL=C.UTF-8 PATH=/usr/sbin:/usr/bin:/sbin:/bin \
    ${http_proxy:+http_proxy="$http_proxy"} ${https_proxy:+https_proxy="$https_proxy"} \
    bash -ec "$1"
}

timed "bootstrap" bootstrap
as_this_machine
git clone -q --bare --no-hardlinks . "$root/penstock.git"
inside 'git clone -q /penstock.git /penstock'
while IFS= read -r -d ';' command; do
  timed "${command# }" inside "cd /penstock; $command"
done <<<"$commands;"
