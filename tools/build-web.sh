#!/usr/bin/env bash
# build-web.sh DIR: builds web/ into DIR/report.html and DIR/dashboard.html, unless they are of these
# very sources. Several build trees may ask at once: one builds, the others wait for it.
set -euo pipefail
cd "$(dirname "$0")/../web"
mkdir -p "$1"
out=$(cd "$1" && pwd)
exec 9>"$out/lock"
flock 9

digest() { # of everything that the pages are made of
  find . -path ./node_modules -prune -o -path ./dist -prune -o -path ./tests -prune -o -path ./bench -prune \
    -o -type f -print0 | LC_ALL=C sort -z | xargs -0 sha256sum | sha256sum
}

packages=$(sha256sum package-lock.json)
if [ ! -d node_modules ] || [ "$packages" != "$(cat node_modules/.built-for 2>/dev/null || true)" ]; then
  PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD=1 npm ci --silent --no-audit --no-fund >&2 || {
    echo "build-web: 'npm ci' in web/ failed; without the pages it is: cmake -DPENSTOCK_WEB=OFF" >&2
    exit 1
  }
  echo "$packages" >node_modules/.built-for
fi
now=$(digest)
if [ ! -s "$out/report.html" ] || [ ! -s "$out/dashboard.html" ] || [ "$now" != "$(cat "$out/built-for" 2>/dev/null || true)" ]; then
  rm -f "$out/built-for"
  npm run --silent build -- --outDir "$out" >/dev/null
  echo "$now" >"$out/built-for"
fi
touch "$out/report.html" "$out/dashboard.html"
