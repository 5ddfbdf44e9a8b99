#!/usr/bin/env bash
# build.sh PRESET [TARGET...]: configures build/PRESET where that is due, and builds it.
set -euo pipefail
cd "$(dirname "$0")/.."
# A build in another clone finds the same files in the cache.
export CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1
preset=$1
shift
tree=build/$preset

slurm_has_come() { # libslurm-dev was installed after the tree had been configured without it
  [ -e /usr/include/slurm/slurm.h ] && grep -qs '^SLURM_INCLUDE.*NOTFOUND' "$tree/CMakeCache.txt"
}

npm_has_come() { # the same of npm
  command -v npm >/dev/null && grep -qs '^NPM:.*NOTFOUND' "$tree/CMakeCache.txt"
}

if [ ! -e "$tree/build.ninja" ] || [ CMakePresets.json -nt "$tree/build.ninja" ] || slurm_has_come || npm_has_come; then
  cmake --preset "$preset" --log-level=WARNING >/dev/null
  touch "$tree/build.ninja"
fi
if [ -t 1 ]; then
  ninja -C "$tree" "$@"
else
  ninja -C "$tree" --quiet "$@" | sed '/^ninja: no work to do/d; /^-- [CGB]/d'
fi
