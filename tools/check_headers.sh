#!/usr/bin/env bash
# Headers compile on their own, without a warning: each is included by a file that has nothing else. Tried are those
# that changed (see since.sh) and those that include one of them, at most HEADERS of them (100); HEADERS=all takes every
# one, which takes ten minutes.
set -euo pipefail
cd "$(dirname "$0")/.."
most=${HEADERS:-100}
flags=(-std=c++20 -fsyntax-only -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wnon-virtual-dtor -Werror -Wno-restrict -Isrc)
read -r -a libraries <<<"$(pkg-config --cflags-only-I cbc osi-clp cpp-httplib eigen3 | sed 's/-I/-isystem /g')"

changed() { # first those that changed, then those that see them
  local files
  mapfile -t files < <(git diff --name-only --diff-filter=d "$(tools/since.sh)" -- 'src/*.h')
  [ ${#files[@]} -gt 0 ] || return 0
  printf '%s\n' "${files[@]}"
  printf '#include "%s"\n' "${files[@]#src/}" | git grep -lFf - -- 'src/*.h' || true
}

if [ "$most" = all ]; then
  mapfile -t headers < <(git ls-files 'src/*.h')
  most=${#headers[@]}
else
  mapfile -t headers < <(changed | awk '!seen[$0]++')
fi
echo "headers: ${#headers[@]} changed or see one that did, taking $((${#headers[@]} < most ? ${#headers[@]} : most))"
one() { echo "#include \"${1#src/}\"" | g++ "${@:2}" -x c++ - || { echo "headers: $1: see above"; exit 1; }; }
export -f one
# shellcheck disable=SC2016 # the arguments are those of the inner shell
printf '%s\n' "${headers[@]:0:$most}" | sed '/^$/d' |
  xargs -r -P "$(nproc)" -I{} bash -c 'one "$@"' one {} "${flags[@]}" "${libraries[@]}"
