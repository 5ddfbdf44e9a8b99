#!/usr/bin/env python3
"""penstock sweep --slurm on a real Slurm: arrays run, killed tasks are run again, what is missing is resumed. sweep_test.py [FOLDER OF THE PROGRAMS]"""
import csv
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import unittest

import patient
import slurm_cluster
from slurm_cluster import Cluster, wait_for

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILT = pathlib.Path(sys.argv.pop(1)).resolve() if len(sys.argv) > 1 and pathlib.Path(sys.argv[1]).is_dir() else ROOT / "build/release"
PENSTOCK = BUILT / "penstock"
slurm_cluster.require()
SWEEP = ["--policy", "fifo,sjf", "--vary", "site.pue=1.1,1.2,1.3"]


def setUpModule():
    global east
    east = Cluster("east", nodes=2).up()


def tearDownModule():
    east.down()


class SweepOnSlurm(unittest.TestCase):
    def setUp(self):
        # a folder as users have: with a blank and a quote in its name
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="it's a sweep ", dir=east.folder))
        self.out = self.folder / "out"

    def words(self, *options):
        return [str(PENSTOCK), "sweep", str(ROOT / "data/demo.toml"), *SWEEP, "--out", str(self.out), *map(str, options)]

    def sweep(self, *options, env=None):
        return subprocess.run(self.words(*options), cwd=self.folder, env={**east.environment, **(env or {})},
                              capture_output=True, text=True, timeout=120, check=False)

    def start(self, *options):
        return subprocess.Popen(self.words(*options), cwd=self.folder, env=east.environment, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True)

    def slurm_knows(self, states):
        """The tasks of this test's arrays, as (array, state)."""
        scripts = {str(path) for path in self.out.glob("slurm/*.sh")}
        listed = east.run("squeue", "-h", "--array", "-t", states, "-o", "%F|%T|%o")
        return [line.split("|")[:2] for line in listed.splitlines() if line.split("|", 2)[2] in scripts]

    def workers(self):
        """The processes that run points of this test."""
        found = []
        for entry in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                words = (entry / "cmdline").read_bytes().split(b"\0")
            except OSError:
                continue
            if b"--points" in words and str(self.out).encode() in words:
                found.append(int(entry.name))
        return found

    def check_whole(self, done):
        self.assertEqual(done.returncode, 0, done.stderr)
        whole = json.loads((self.out / "summary.json").read_text())
        here = subprocess.run([PENSTOCK, "sweep", ROOT / "data/demo.toml", *SWEEP, "--out", "here", "--json"], cwd=self.folder,
                              capture_output=True, text=True, timeout=120, check=True)
        for key in ("decision_mean_us", "decision_p99_us", "wall_s", "jobs_per_s", "peak_rss_mb"):
            for run in whole["runs"]:
                run.pop(key)
        local = json.loads(here.stdout)
        self.assertEqual(whole["runs"], [{key: run[key] for key in whole["runs"][0]} for run in local["runs"]])
        with open(self.out / "sweep.csv", newline="", encoding="utf-8") as file:
            self.assertEqual(len(list(csv.DictReader(file))), 6)

    def test_an_array_gives_what_this_machine_gives(self):
        done = self.sweep("--slurm", "--per-task", "4", "--cpus", "2", "--array-limit", "2", "--partition", "main", "--time", "10")
        self.check_whole(done)
        self.assertIn("for 6 of 6 points", done.stderr)
        self.assertTrue(done.stdout.startswith("policy "))
        self.assertEqual(len(list((self.out / "slurm").glob("*.log"))), 2)
        again = self.sweep("--slurm")
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assertNotIn("submitted", again.stderr)

    def test_only_what_is_missing_is_submitted(self):
        done = self.sweep("--points", "0-1,5")
        self.assertNotEqual(done.returncode, 0)  # only the sweep itself makes the folder
        self.out.mkdir()
        self.assertEqual(self.sweep("--points", "0-1,5").returncode, 0)
        done = self.sweep("--slurm")
        self.check_whole(done)
        self.assertIn("for 3 of 6 points", done.stderr)

    def test_one_may_leave_and_come_back(self):
        done = self.sweep("--slurm", "--no-wait", "--sbatch-arg=--begin=now+5")
        self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)
        self.assertIn("scancel", done.stderr)
        refused = self.sweep()
        self.assertEqual(refused.returncode, 2)
        self.assertIn("works on it", refused.stderr)
        back = self.sweep("--slurm")
        self.check_whole(back)
        self.assertNotIn("submitted", back.stderr)

    def test_a_stop_by_the_user_leaves_the_array(self):
        waiter = self.start("--slurm", "--sbatch-arg=--begin=now+1000")
        wait_for(lambda: self.slurm_knows("pending"), "the array waits")
        waiter.send_signal(signal.SIGINT)
        _, said = waiter.communicate(timeout=60)
        self.assertEqual(waiter.returncode, 0, said)
        self.assertIn("goes on without us", said)
        east.run("scancel", self.slurm_knows("pending")[0][0])
        wait_for(lambda: not self.slurm_knows("pending"), "the array is gone")
        self.check_whole(self.sweep())  # without Slurm

    def test_a_cancelled_array_is_not_submitted_again(self):
        waiter = self.start("--slurm", "--sbatch-arg=--begin=now+1000")
        wait_for(lambda: self.slurm_knows("pending"), "the array waits")
        east.run("scancel", self.slurm_knows("pending")[0][0])
        _, said = waiter.communicate(timeout=60)
        self.assertEqual(waiter.returncode, 2, said)
        self.assertIn("the array was cancelled; 6 of 6 points are missing", said)

    def test_killed_tasks_are_submitted_once_more(self):
        trace = self.folder / "slow.csv.gz"
        os.mkfifo(trace)  # tasks that read it wait for ever
        waiter = self.start("--set", f"workload.trace={trace}", "--slurm", "--per-task", "2", "--cpus", "2")
        workers = wait_for(lambda: len(found := self.workers()) == 3 and found, "all tasks run")
        trace.unlink()
        trace.symlink_to(ROOT / "data/philly-sample.csv.gz")
        for worker in workers:
            os.kill(worker, signal.SIGKILL)
        shown, said = waiter.communicate(timeout=120)
        self.assertEqual(waiter.returncode, 0, said)
        self.assertIn("for 6 of 6 points, once more", said)
        self.assertTrue(shown.startswith("policy "))

    def test_a_killed_waiter_loses_nothing(self):
        waiter = self.start("--slurm", "--sbatch-arg=--begin=now+4")
        wait_for(lambda: self.slurm_knows("pending"), "the array waits")
        waiter.kill()
        waiter.communicate()
        done = self.sweep("--slurm")
        self.check_whole(done)
        self.assertNotIn("submitted", done.stderr)

    def test_points_that_fail_by_themselves_are_not_tried_again(self):
        bad = self.folder / "bad.csv"
        bad.write_text("nonsense\n")
        done = self.sweep("--set", f"workload.trace={bad}", "--slurm")
        self.assertEqual(done.returncode, 2)
        self.assertEqual(done.stderr.count("submitted array"), 1, done.stderr)
        self.assertIn("6 of 6 points failed", done.stderr)

    def test_several_seeds_are_trained_as_an_array(self):
        words = [PENSTOCK, "sweep", ROOT / "data/studies/mars/lublin.toml", "--train", "rl", "--vary", "seed=1,3", "--out", self.out,
                 "--set", "workload.generate.jobs=600", "--slurm", "--", "--updates", "2", "--episode", "40", "--episodes", "8",
                 "--validation", "4", "--worlds", "4", "--validate-every", "2"]
        done = subprocess.run(words, env=east.environment, capture_output=True, text=True, timeout=120, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("\nbest: ", done.stdout)
        self.assertEqual(len(list(self.out.glob("*/weights.safetensors"))), 2)

    def test_what_slurm_refuses_is_told(self):
        done = self.sweep("--slurm", "--partition", "nowhere")
        self.assertEqual(done.returncode, 2)
        self.assertIn("--slurm: sbatch refuses: ", done.stderr)
        self.assertIn("partition", done.stderr)

    def test_without_slurm_it_says_so(self):
        done = self.sweep("--slurm", env={"PATH": "/nowhere"})
        self.assertEqual(done.returncode, 2)
        self.assertIn("cannot start squeue: No such file or directory", done.stderr)


if __name__ == "__main__":
    patient.main(BUILT)
