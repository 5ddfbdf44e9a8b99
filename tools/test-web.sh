#!/usr/bin/env bash
# test-web.sh [BUILD_DIR]: types, unit tests and browser tests of web/, with the program of that build tree. Prints
# "skipped: ..." where there is no npm or no Chromium; PENSTOCK_CHROMIUM=required in the environment makes that a failure.
set -euo pipefail
tree=$(realpath "${1:-build/release}")
cd "$(dirname "$0")/../web"
export CHROMIUM=${CHROMIUM:-/usr/bin/chromium} PENSTOCK=$tree/penstock

skip() {
  echo "skipped: $1"
  [ "${PENSTOCK_CHROMIUM:-}" = required ] && exit 1
  exit 0
}

[ -d node_modules ] || skip "the pages were not built (no npm)"
npm run --silent check
npm test --silent
[ -x "$CHROMIUM" ] || skip "there is no $CHROMIUM (Debian: chromium), so the pages were not tried in a browser"
npm run --silent test:browser
