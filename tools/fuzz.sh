#!/usr/bin/env bash
# Runs every fuzz/fuzz_*.cpp for FUZZ_SECONDS on fuzz/corpus/NAME. What it finds worth keeping
# goes to build/fuzz/found/NAME; an input that breaks a reader is left there as crash-*.
# FUZZ_SEED fixes the order in which inputs are tried (0: another one every time).
set -euo pipefail
cd "$(dirname "$0")/.."
export FUZZ_SECONDS=${FUZZ_SECONDS:-10} FUZZ_SEED=${FUZZ_SEED:-0}

if [ -z "$(git ls-files 'fuzz/fuzz_*.cpp')" ]; then
  echo "fuzz: there is no fuzz/fuzz_*.cpp yet, nothing to run"
  exit 0
fi
tools/build.sh fuzz fuzzers

one() {
  local name=${1##*/fuzz_}
  local found=build/fuzz/found/$name
  local corpora=("$found")
  mkdir -p "$found"
  [ ! -d "fuzz/corpus/$name" ] || corpora+=("fuzz/corpus/$name")
  if ! "$1" -seed="$FUZZ_SEED" -max_total_time="$FUZZ_SECONDS" -timeout=5 -rss_limit_mb=1500 -verbosity=0 \
    -print_final_stats=1 -artifact_prefix="$found/" "${corpora[@]}" >"$found.log" 2>&1; then
    tail -n 40 "$found.log" >&2
    echo "fuzz: $name broke; the input is in $found" >&2
    exit 1
  fi
  echo "fuzz: $name held for $(sed -n 's/^stat::number_of_executed_units: *//p' "$found.log") inputs"
}
export -f one
find build/fuzz/fuzz -maxdepth 1 -type f -executable -name 'fuzz_*' | sort |
  xargs -P "$(nproc)" -I{} bash -c 'one {}'
