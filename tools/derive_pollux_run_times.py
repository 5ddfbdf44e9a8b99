#!/usr/bin/env python3
"""Writes src/io/traces/formats/pollux_table.cpp from the profiles of the Pollux artefact.

usage: derive_pollux_run_times.py PROFILES_DIR   (one folder per application)

seconds = iterations · ((k - 1) · (step - sync) + step)
  iterations  last row of validation-<batch>.csv: the whole training at that batch size
  k           gradient accumulation: how often the largest measured local batch must be
              stepped through to make up batch / GPUs
  step, sync  measured on GPUs packed onto nodes of four (placements.csv up to 16 GPUs,
              scalability.csv beyond), linear between measured local batches
"""
import csv
import glob
import math
import pathlib
import sys

SIZES = [*range(1, 17), 20, 24, 28, 32, 40, 48, 56, 64]
NODES = {20: 6, 24: 6, 28: 8, 32: 8, 40: 12, 48: 12, 56: 16, 64: 16}


def rows(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def measured(folder, gpus):
    """[(local batch, step, sync)] of one size, packed."""
    if gpus <= 16:
        packed = "".join(sorted("4" * (gpus // 4) + (str(gpus % 4) if gpus % 4 else "")))
        found = [r for r in rows(folder / "placements.csv") if "".join(sorted(r["placement"])) == packed]
    else:
        found = [r for r in rows(folder / "scalability.csv")
                 if int(r["num_replicas"]) == gpus and int(r["num_nodes"]) == NODES[gpus]]
    return sorted((float(r["local_bsz"]), float(r["step_time"]), float(r["sync_time"])) for r in found)


def between(points, local):
    """Step and sync time; flat outside of what was measured."""
    below = [p for p in points if p[0] <= local]
    above = [p for p in points if p[0] >= local]
    low = below[-1] if below else points[0]
    high = above[0] if above else points[-1]
    share = 0 if low[0] == high[0] else (local - low[0]) / (high[0] - low[0])
    return tuple(low[i] + share * (high[i] - low[i]) for i in (1, 2))


def run_time(folder, gpus, batch):
    points = measured(folder, gpus)
    iterations = float(rows(folder / f"validation-{batch}.csv")[-1]["iteration"])
    times = math.ceil(batch / gpus / points[-1][0])
    step, sync = between(points, batch / gpus / times)
    return iterations * ((times - 1) * (step - sync) + step)


def main():
    base = pathlib.Path(sys.argv[1])
    print("// Made by tools/derive_pollux_run_times.py, which has the formula, from the profiles")
    print("// in pkusys/ElasticFlow@04a0109 (Apache-2.0), pollux/pollux_simulator/traces; measured")
    print("// on T4 GPUs by the authors of Pollux (Qiao et al., OSDI'21).")
    print('#include "io/traces/formats/pollux_table.h"\n\n#include <array>\n\nnamespace penstock {\nnamespace {\n')
    print("constexpr auto kRunTimes = std::to_array<PolluxRunTimes>({")
    for folder in sorted(p for p in base.iterdir() if p.is_dir()):
        batches = sorted(int(pathlib.Path(f).stem.split("-")[1]) for f in glob.glob(f"{folder}/validation-*.csv"))
        assert all(b == batches[0] << i for i, b in enumerate(batches))
        for gpus in SIZES:
            times = ", ".join(f"{run_time(folder, gpus, batch):.0f}" for batch in batches)
            print(f'    {{"{folder.name}", {gpus}, {batches[0]}, {{{times}}}}},')
    print("});\n\n}  // namespace\n")
    print("std::span<const PolluxRunTimes> pollux_run_times() {\n  return kRunTimes;\n}\n")
    print("}  // namespace penstock")


main()
