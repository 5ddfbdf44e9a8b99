#!/usr/bin/env bash
# build.sh PRESET [TARGET...]: configures build/PRESET where that is due, and builds it.
set -euo pipefail
cd "$(dirname "$0")/.."
# A build in another clone finds the same files in the cache.
export CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1
preset=$1
shift
tree=build/$preset

if [ ! -e "$tree/build.ninja" ] || [ CMakePresets.json -nt "$tree/build.ninja" ]; then
  cmake --preset "$preset" --log-level=WARNING >/dev/null
  touch "$tree/build.ninja"
fi
if [ -t 1 ]; then
  ninja -C "$tree" "$@"
else
  ninja -C "$tree" --quiet "$@" | sed '/^ninja: no work to do/d; /^-- [CGB]/d'
fi
