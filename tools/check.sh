#!/usr/bin/env bash
# Everything that must hold beyond the tests, quickest first; stops at the first step that fails.
# check.sh [STEP...] runs only the named steps.
set -euo pipefail
cd "$(dirname "$0")/.."

steps=(marks paths links shell format layers sizes names headers tidy sanitize fuzz)

marks() { # unfinished work belongs into an issue
  ! git grep -nIE '\b(TO[D]O|FIX[M]E|XX[X]|HAC[K])\b' -- src tests bench fuzz tools cmake docs '*.md'
}

paths() { # a path of somebody's machine works nowhere else
  ! git grep -nIE '(^|[^a-zA-Z0-9_./-])/(wor[k]|far[m]|roo[t]|hom[e])/' -- .
}

links() { # and what the pages say of the code
  tools/check_links.py
  tools/check_docs.py .
}

shell() { git ls-files -z '*.sh' .ci/run | xargs -0 shellcheck; }

format() { git ls-files -z '*.h' '*.cpp' | xargs -0 -r clang-format-19 --dry-run -Werror; }

layers() { tools/check_layers.py .; }

sizes() { tools/check_sizes.py . --summary; }

names() { tools/check_names.py .; }

headers() { tools/build.sh release all_verify_interface_header_sets; }

tidy() { tools/tidy.sh; }

# The test programs of the layers; with SANITIZE=all the whole program too, which takes half an hour
# more to build. Tests labelled `long` say the same as their short fellows; a Slurm is not ours.
sanitize() {
  local which=(-L '^unit$')
  if [ "${SANITIZE:-}" = all ]; then
    which=(-LE 'long|slurm')
    tools/build.sh sanitize
  else
    tools/build.sh sanitize unit_tests
  fi
  ASAN_OPTIONS=detect_stack_use_after_return=1 UBSAN_OPTIONS=print_stacktrace=1 \
    ctest --test-dir build/sanitize --output-on-failure "${which[@]}" -j "$(nproc)"
}

# Known inputs and neighbours of them, chosen alike every time; `make fuzz` explores.
fuzz() { tools/fuzz-replay.sh; }

# Only by name, not yet in CI: the layers in which several threads work together, the daemon and all that it is made of.
threads() {
  tools/build.sh threads thread_tests
  TSAN_OPTIONS=halt_on_error=1 ctest --test-dir build/threads --output-on-failure -L '^threads$' -j "$(nproc)"
}

[ $# -gt 0 ] && steps=("$@")
for step in "${steps[@]}"; do
  printf -- '-- %s\n' "$step"
  begun=$SECONDS
  set +e # in an `if`, bash would let a step go on after a failing line
  (set -e; "$step")
  failed=$?
  set -e
  if [ "$failed" != 0 ]; then
    printf -- '-- %s: FAILED after %d s\n' "$step" $((SECONDS - begun)) >&2
    exit 1
  fi
  printf -- '-- %s: passed in %d s\n' "$step" $((SECONDS - begun))
done
echo "check: all of ${#steps[@]} steps passed in $SECONDS s"
