#!/usr/bin/env bash
# build_time.sh [WORK...]: what compiling costs, in CPU seconds (user and system, all processes), without the compiler's
# cache, in trees of its own below build/time. WORK is one or more of
#   demo      what `make demo` compiles: the program penstock (its web pages are not counted)
#   test      all that `make test` compiles: the programs, the tests and what they load
#   sanitize  what `make check` compiles with sanitizers: the test programs of the layers, and the readers to be fuzzed
#   threads   what `make check` compiles with the thread sanitizer
#   touched   after one policy was touched: the program penstock again
# Without arguments it measures demo, test and touched. CPU seconds vary less than wall time, but by a third on busy machines.
set -euo pipefail
cd "$(dirname "$0")/.."
export CCACHE_DISABLE=1
TIMEFORMAT='%U %S %R'

tree_of() {
  case $1 in
    sanitize) echo sanitize ;;
    threads) echo threads ;;
    *) echo release ;;
  esac
}

targets_of() {
  case $1 in
    demo | touched) echo penstock ;;
    test) echo all ;;
    sanitize) echo unit_tests fuzzers ;;
    threads) echo thread_tests ;;
  esac
}

measure() {
  local tree targets spent
  tree=build/time/$(tree_of "$1")
  read -r -a targets <<<"$(targets_of "$1")"
  [ -e "$tree/build.ninja" ] || cmake --preset "$(tree_of "$1")" -B "$tree" -DPENSTOCK_WEB=OFF --log-level=WARNING >/dev/null
  [ "$1" != touched ] || touch src/policies/elastic/powerflow.cpp
  spent=$({ time ninja -C "$tree" --quiet "${targets[@]}" >&2; } 2>&1 | tail -n 1)
  awk -v work="$1" '{printf "%-9s %6.0f CPU seconds, %5.0f s on the clock\n", work, $1 + $2, $3}' <<<"$spent"
}

[ $# -gt 0 ] || set -- demo test touched
rm -rf build/time
for work in "$@"; do
  [ -n "$(targets_of "$work")" ] || { echo "build_time: no work '$work'; there are: demo test sanitize threads touched" >&2; exit 2; }
  measure "$work"
done
