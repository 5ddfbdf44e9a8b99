#!/usr/bin/env bash
# clang-tidy on the source files that changed since main; in a clone that is main itself, on the
# files of the latest commits. At most TIDY_FILES of them (newest first); TIDY=all takes every one.
set -euo pipefail
cd "$(dirname "$0")/.."
most=${TIDY_FILES:-50}
commits=${TIDY_COMMITS:-20}

since() { # the commit to compare with; the empty tree if there is none
  local base
  base=$(git merge-base HEAD origin/main 2>/dev/null || true)
  if [ -z "$base" ] || [ "$base" = "$(git rev-parse HEAD)" ]; then
    base=$(git rev-list --first-parent --skip="$commits" --max-count=1 HEAD)
  fi
  echo "${base:-$(git hash-object -t tree /dev/null)}"
}

changed() { # newest change first; a header stands for the .cpp beside it, or for one that includes it
  local file source
  git diff --name-only --diff-filter=d "$1" -- 'src/*.h' 'src/*.cpp' | while read -r file; do
    source=${file%.*}.cpp
    [ -e "$source" ] || source=$(git grep -lF "#include \"${file#src/}\"" -- 'src/*.cpp' | head -n 1 || true)
    [ -z "$source" ] || echo "$(git log -1 --format=%ct -- "$file") $source"
  done | sort -rn | awk '!seen[$2]++ {print $2}'
}

if [ "${TIDY:-}" = all ]; then
  mapfile -t files < <(git ls-files 'src/*.cpp')
  most=${#files[@]}
else
  base=$(since)
  mapfile -t files < <(changed "$base")
fi
echo "tidy: ${#files[@]} files changed since ${base:-the beginning}, taking $((${#files[@]} < most ? ${#files[@]} : most))"
# The tree `single` is never built: it has the command of each file, where others compile many files at once.
cmake --preset single --log-level=WARNING >/dev/null
# The commands are g++'s: clang does not know all its options, and minds what libstdc++ does inside.
one() {
  clang-tidy-19 --quiet -p build/single --extra-arg=-Wno-unknown-warning-option \
    --extra-arg=-Wno-deprecated-declarations "$1" 2>/dev/null || {
    echo "tidy: $1: see above"
    exit 1
  }
}
export -f one
printf '%s\n' "${files[@]:0:$most}" | sed '/^$/d' | xargs -r -P "$(nproc)" -I{} bash -c 'one {}'
