#!/usr/bin/env python3
"""What was predicted against what came: ANDREAS plans trainings of known speed on a real Slurm, agents measure fake GPUs,
and the journal is replayed. prediction_test.py [FOLDER OF THE PROGRAMS]

PENSTOCK_PREDICTION_JOBS says how many trainings (12), PENSTOCK_PREDICTION_SCALE how many times as long they, their deadlines
and what lies between them last (1; with 60 trainings 12 make half an hour of it). GPUs draw what the models say, each node's up
to 5 % more or less; with PENSTOCK_PREDICTION_DRAW=peak all that they can, 14 and 20 % more. PENSTOCK_PREDICTION_KEEP names a
file in which the journal is left.
"""
import json
import os
import pathlib
import random
import sqlite3
import statistics
import subprocess
import tempfile
import time
import tomllib
import unittest

import bridge
import patient
from agents import Agents
from daemon import Daemon, PENSTOCK
from slurm_cluster import Cluster, wait_for

bridge.require()
EXAMPLES = bridge.ROOT / "share/examples"
JOBS = int(os.environ.get("PENSTOCK_PREDICTION_JOBS", 12))
SCALE = float(os.environ.get("PENSTOCK_PREDICTION_SCALE", 1))
AS_MODELLED = os.environ.get("PENSTOCK_PREDICTION_DRAW") != "peak"


def loads_of(cluster, agents, chance):
    """By node, so that its GPUs draw what models.toml says and a little more or less."""
    models = tomllib.loads((EXAMPLES / "models.toml").read_text())["model"]
    draws = {model["gpu"]: model["power"]["p0"] + model["power"]["p3"] for model in models if model["name"] == "example"}
    return {node: (draws[cluster.kind_of(node)[0]] * chance.uniform(0.95, 1.05) - gpus.idle) / (gpus.peak - gpus.idle)
            for node, gpus in agents.gpus.items()}


class Prediction(unittest.TestCase):
    def test_cost_comes_as_predicted_and_the_journal_replays_as_it_was(self):
        chance = random.Random(5)
        with tempfile.TemporaryDirectory() as name, \
                Cluster("east", jobcomp=bridge.HOOK, lua=bridge.LUA, files={"penstock_partitions.conf": "main\n"}) as cluster:
            folder = pathlib.Path(name)
            (folder / "types.json").write_text(json.dumps({node: cluster.kind_of(node)[0] for node in cluster.nodes}))
            (folder / "models.toml").write_text((EXAMPLES / "models.toml").read_text())
            daemon = Daemon(folder, [(cluster, "")], 'name = "andreas"', slurm="tardiness_per_hour = 2.0", serve='clocks = "agents"',
                            more='[workload]\nprofiles = "models.toml"\n[costs]\nrestart = "1 s"\n')
            agents = Agents(cluster, daemon, folder)
            if AS_MODELLED:
                loads = loads_of(cluster, agents, chance)
                agents.load = loads.get
            with daemon, agents:
                jobs = []
                for _ in range(JOBS):
                    jobs.append(self.train(cluster, folder, chance))
                    time.sleep(SCALE * chance.expovariate(1 / 2))
                wait_for(lambda: len(daemon.ended()) == JOBS, "all trainings end", 120 + 10 * SCALE * JOBS)
                ended = list(daemon.ended().values())
                self.tell_failures(daemon, ended)
                metered = agents.joules_above_idle()
            if "PENSTOCK_PREDICTION_KEEP" in os.environ:
                with sqlite3.connect(daemon.journal) as journal, sqlite3.connect(os.environ["PENSTOCK_PREDICTION_KEEP"]) as kept:
                    journal.backup(kept)
            self.judge(ended, daemon)
            self.compare_with_meters(ended, agents, metered)

    def train(self, cluster, folder, chance):
        work, gpus = SCALE * chance.randrange(6, 16), chance.choice([1, 1, 2, 4])
        deadline = round(SCALE * chance.choice([60, 300, 3600]))
        comment = f"penstock: profile=example gpus=1-4 work={work:g} deadline={deadline}s priority={chance.randrange(1, 6)}"
        return int(cluster.run(
            "sbatch", "--parsable", "-o", f"{folder}/out-%j", "--open-mode=append", f"--gres=gpu:{gpus}", "-D", folder, "--comment", comment,
            "--wrap", f"exec python3 {EXAMPLES}/elastic_trainer.py --models models.toml --types types.json --work {work:g}"))

    def tell_failures(self, daemon, ended):
        for detail in ended:
            if detail["state"] != "completed":
                self.fail(json.dumps(daemon.get(f"jobs/{detail['ref']}"), indent=1))

    def judge(self, ended, daemon):
        for detail in ended:
            self.assertIsNotNone(detail["predicted_cost"], detail)
        off = [detail["predicted_cost"] / detail["cost"] - 1 for detail in ended]
        whole = sum(detail["predicted_cost"] for detail in ended) / sum(detail["cost"] for detail in ended) - 1
        real = [(detail["runs"][-1]["ended_ms"] - detail["submitted_ms"]) / 1000 for detail in ended]
        jct = sum(real) / len(real)
        replays = [self.replay(daemon.journal, f"andreas:seed={seed}") / jct - 1 for seed in range(1, 10)]
        recorded = self.replay(daemon.journal, "recorded") / jct - 1
        print(f"{len(ended)} trainings, {sum(len(detail['runs']) for detail in ended)} runs: predicted cost is {whole:+.1%} of what came "
              f"in all, {min(off):+.1%} to {max(off):+.1%} by job; mean completion time {jct:.1f} s, "
              f"{recorded:+.1%} when what was decided is simulated, {statistics.mean(replays):+.1%} when andreas decides anew "
              f"({min(replays):+.1%} to {max(replays):+.1%} by the seed of its search)")
        self.assertLess(abs(recorded), 0.05)
        self.assertLess(abs(statistics.mean(replays)), 0.1, "aim: 5 %")
        self.assertLess(abs(whole), 0.13, "the paper's validation")

    def replay(self, journal, policy):
        """The mean completion time: close calls of andreas depend on its seed."""
        done = subprocess.run([PENSTOCK, "simulate", "--journal", journal, "--policy", policy, "--json", "--no-progress"],
                              capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)["runs"][0]["jct_mean_s"]

    def compare_with_meters(self, ended, agents, metered):
        """What bills say beyond idle GPUs against what the counters of all GPUs do."""
        idle = {gpus.kind: gpus.idle for gpus in agents.gpus.values()}
        held = sum(idle[run["type"]] * run["gpus"] * ((run["ended_ms"] - run["started_ms"]) / 1000 + (run["lag_s"] or 0))
                   for detail in ended for run in detail["runs"])
        billed = sum(detail["energy_j"] for detail in ended) - held
        print(f"energy of the jobs beyond idle GPUs: billed {billed / 1000:.1f} kJ, by the GPUs' counters {metered / 1000:.1f} kJ ({billed / metered - 1:+.1%})")
        self.assertLess(abs(billed / metered - 1), 0.1)


if __name__ == "__main__":
    patient.main()
