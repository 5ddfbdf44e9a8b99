#!/usr/bin/env bash
# make-models.sh [PENSTOCK]: fits data/models/*.toml to the measurements in data/profiles. Run by
# hand when a fit or a measurement changes; takes about two minutes.
set -euo pipefail
cd "$(dirname "$0")/.."
penstock=${1:-build/release/penstock}
mkdir -p data/models
for gpu in a100 a40 k80 p100 t4 v100; do
  "$penstock" fit data/profiles --gpu "$gpu" --out "data/models/$gpu.toml" | sed -n "/ $gpu /p; \$p"
done
"$penstock" fit data/fronts --out data/models/pipelines.toml
