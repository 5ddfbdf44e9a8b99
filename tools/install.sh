#!/usr/bin/env bash
# install.sh BUILT PREFIX: puts the programs of the folder BUILT into $DESTDIR$PREFIX/bin, examples and
# job_submit.lua into share/penstock, the units into lib/systemd/system. Nothing is started or enabled.
set -euo pipefail
built=$(realpath "$1")
prefix=$(realpath -ms "$2")
cd "$(dirname "$0")/.."
to=${DESTDIR:-}$prefix

programs=("$built/penstock" "$built/penstock-jobcomp")
if [ -e "$built/penstock-slurm" ]; then
  programs+=("$built/penstock-slurm")
else
  echo "install: without penstock-slurm, so that penstock serve reaches no Slurm: libslurm-dev was missing when this was built" >&2
fi
install -d "$to/bin" "$to/share/penstock/examples" "$to/share/penstock/slurm" "$to/lib/systemd/system"
install -m 755 "${programs[@]}" "$to/bin"
install -m 644 share/examples/*.toml "$to/share/penstock/examples"
install -m 755 share/examples/*.py "$to/share/penstock/examples"
install -m 644 share/slurm/*.lua "$to/share/penstock/slurm"
for unit in share/systemd/*.service; do
  sed "s#/usr/local/bin/#$prefix/bin/#" "$unit" >"$to/lib/systemd/system/${unit##*/}"
  chmod 644 "$to/lib/systemd/system/${unit##*/}"
done
echo "installed below $to: ${programs[*]##*/}"
