#!/usr/bin/env bash
# Prints the commit that changes are compared with: where this branch left main; in a clone that is main itself, the
# commit before its latest COMMITS (20); the empty tree if there is none.
set -euo pipefail
cd "$(dirname "$0")/.."
base=$(git merge-base HEAD origin/main 2>/dev/null || true)
if [ -z "$base" ] || [ "$base" = "$(git rev-parse HEAD)" ]; then
  base=$(git rev-list --first-parent --skip="${COMMITS:-20}" --max-count=1 HEAD)
fi
echo "${base:-$(git hash-object -t tree /dev/null)}"
