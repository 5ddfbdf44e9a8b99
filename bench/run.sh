#!/usr/bin/env bash
# run.sh [BUILD_DIR]: runs every benchmark program of bench/ and prints what it measured.
set -euo pipefail
cd "$(dirname "$0")/.."
tree=${1:-build/release}

mapfile -t programs < <(find "$tree/bench" -maxdepth 1 -type f -executable 2>/dev/null | sort)
[ ${#programs[@]} -gt 0 ] || { echo "bench: no program in $tree/bench"; exit 0; }
for program in "${programs[@]}"; do
  echo "== ${program##*/}"
  "$program"
done
echo "== live"
bench/live.py "$tree"
echo "== report"
bench/report.py "$tree"
echo "== slurm_bridge"
bench/slurm_bridge.py "$tree"
