#!/usr/bin/env bash
# What CI asks of every reader: the inputs of fuzz/corpus and neighbours of them, the same every time,
# with the sanitizers of the tests. `make fuzz` explores, with libFuzzer.
set -euo pipefail
cd "$(dirname "$0")/.."
tools/build.sh sanitize fuzzers

one() {
  local name=${1##*/fuzz_} log
  log=$("$1" 20000 10 "fuzz/corpus/$name" 2>&1) || {
    tail -n 40 <<<"$log" >&2
    echo "fuzz: $name broke" >&2
    exit 1
  }
  echo "fuzz: $name held for $(tail -n 1 <<<"$log")"
}
export -f one
find build/sanitize/fuzz -maxdepth 1 -type f -executable -name 'fuzz_*' | sort |
  xargs -P "$(nproc)" -I{} bash -c 'one {}'
