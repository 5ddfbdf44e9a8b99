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
# As long as this file is there, every task waits for a signal instead of working.
SLEEPY = '#!/bin/sh\n[ -e "$PENSTOCK_TEST_HALT" ] && sleep 1000\nexec "$0.real" "$@"\n'


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

    def tasks(self, states="all"):
        name = next(word for word in (self.out / "slurm").glob("*.sh")).exists()
        self.assertTrue(name)
        listed = east.run("squeue", "-h", "--array", "-t", states, "-o", "%i %F %T %j")
        return [line.split() for line in listed.splitlines() if "penstock-sweep" in line]

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
        wait_for(lambda: self.out.exists() and (self.out / "slurm").exists() and self.tasks("pending"), "the array waits")
        waiter.send_signal(signal.SIGINT)
        _, said = waiter.communicate(timeout=60)
        self.assertEqual(waiter.returncode, 0, said)
        self.assertIn("goes on without us", said)
        job = self.tasks("pending")[0][1]
        east.run("scancel", job)
        wait_for(lambda: not self.tasks("pending"), "the array is gone")
        self.check_whole(self.sweep())  # without Slurm

    def test_a_cancelled_array_is_not_submitted_again(self):
        waiter = self.start("--slurm", "--sbatch-arg=--begin=now+1000")
        wait_for(lambda: self.out.exists() and (self.out / "slurm").exists() and self.tasks("pending"), "the array waits")
        east.run("scancel", self.tasks("pending")[0][1])
        _, said = waiter.communicate(timeout=60)
        self.assertEqual(waiter.returncode, 2, said)
        self.assertIn("the array was cancelled; 6 of 6 points are missing", said)

    def test_killed_tasks_are_submitted_once_more(self):
        halt, pids = self.folder / "halt", self.folder / "pids"
        halt.touch()
        pids.mkdir()
        wrapper = self.folder / "nodes' own"  # tasks begin by waiting to be killed
        wrapper.write_text(f'#!/bin/sh\nif [ -e "{halt}" ]; then echo $$ > "{pids}/$SLURM_ARRAY_TASK_ID"; exec sleep 1000; fi\n')
        waiter = self.start("--slurm", f"--sbatch-arg=--export=ALL,BASH_ENV={wrapper},ENV={wrapper}")
        script, = wait_for(lambda: list((self.out / "slurm").glob("*.sh")), "the script is there")
        self.assertIn("#!/bin/sh", script.read_text())
        waiter.kill()
        waiter.communicate()
        for task in self.tasks("pending,running"):
            east.run("scancel", task[1], check=False)
        wait_for(lambda: not self.tasks("pending,running"), "nothing is left")
        halt.unlink()
        self.check_whole(self.sweep("--slurm"))

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
