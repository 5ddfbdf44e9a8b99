#!/usr/bin/env python3
"""penstock train: what it writes, what it refuses, and that a killed training goes on to the same bits."""
import csv
import json
import pathlib
import signal
import struct
import subprocess
import tempfile
import time
import unittest

from program import DATA, PROGRAM, main, penstock

LUBLIN = DATA / "studies/mars/lublin.toml"
SHORT = ["--set", "workload.generate.jobs=600"]
TINY = [*SHORT, "--episode", "40", "--episodes", "8", "--validation", "4", "--worlds", "4",
        "--validate-every", "2", "--jobs", "1", "--no-progress"]


def train(*arguments):
    return penstock("train", LUBLIN, *TINY, *arguments)


def about(path):
    """The texts of a safetensors file."""
    whole = path.read_bytes()
    length, = struct.unpack("<Q", whole[:8])
    return json.loads(whole[8:8 + length])["__metadata__"]


class TrainRouters(unittest.TestCase):
    SCENARIO = DATA / "scenarios/geo.toml"
    TINY = ["--set", "workload.limit=400", "--episode", "60", "--episodes", "4", "--validation", "2", "--worlds", "2",
            "--no-progress"]

    def train(self, *options):
        return penstock("train", self.SCENARIO, *self.TINY, *options)

    def test_agents_route_by_the_weights_that_were_written(self):
        with tempfile.TemporaryDirectory() as folder:
            out = pathlib.Path(folder) / "w.safetensors"
            for policy in ("marl", "independent-rl", "single-rl"):
                done = self.train("--updates", "2", "--policy", policy, "--out", out)
                self.assertEqual(done.returncode, 0, done.stderr)
                done = penstock("simulate", self.SCENARIO, "--set", "workload.limit=200", "--json", "--no-progress",
                                "--policy", f"geo:router={policy}:weights={out}")
                self.assertEqual(done.returncode, 0, done.stderr)
                run, = json.loads(done.stdout)["runs"]
                self.assertEqual(run["jobs_finished"], 200)
                self.assertLess(run["utility"], 1)
            done = penstock("simulate", self.SCENARIO, "--policy", f"geo:router=marl:weights={out}")
            self.assertEqual(done.returncode, 2)
            self.assertIn("single-rl", done.stderr)

    def test_what_routers_do_not_know_is_refused(self):
        done = self.train("--policy", "marl", "--out", "w", "--window", "64")
        self.assertEqual((done.returncode, done.stderr), (2, "--window: marl has no such option; it is for rl and mars\n"))
        done = self.train("--policy", "marl", "--out", "w", "--site", "geo")
        self.assertEqual(done.returncode, 2)
        self.assertIn("--site: policy 'geo': site: 'geo' has sites itself", done.stderr)

    def test_writes_weights_the_curve_and_its_picture(self):
        with tempfile.TemporaryDirectory() as folder:
            out = pathlib.Path(folder) / "w.safetensors"
            done = penstock("train", self.SCENARIO, *self.TINY[:-1], "--updates", "2", "--policy", "marl", "--out", out)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("network marl", done.stdout)
            self.assertIn("thrifty", done.stdout)
            self.assertIn("training on geo: 400 jobs, 5 sites, 4 episodes of 60", done.stderr)
            self.assertIn("marl (1 of 1): begins, validation -", done.stderr)
            texts = about(out)
            self.assertEqual((texts["about.scenario"], texts["about.seed"]), ("geo", "1"))
            self.assertRegex(texts["about.scenario_hash"], r"^[0-9a-f]+$")
            self.assertIn("--policy marl --set workload.limit=400", texts["about.command"])
            self.assertRegex(texts["about.curve"], r"marl: -\d.* at first, -\d.* after \d of 2 updates")
            rows = list(csv.DictReader(out.with_name(out.name + ".csv").read_text().splitlines()))
            self.assertEqual([(row["network"], row["update"]) for row in rows], [("marl", str(update)) for update in range(3)])
            self.assertLess(float(rows[0]["reference_return"]), 0)
            self.assertTrue(out.with_name(out.name + ".svg").read_text().startswith("<svg"))

    def test_what_agents_do_without_is_in_their_weights(self):
        with tempfile.TemporaryDirectory() as folder:
            out = pathlib.Path(folder) / "w.safetensors"
            for options, key, value in ((["--critic", "local"], "penstock.global_features", ""),
                                        (["--no-waiting"], "geo.waiting", "off"), (["--no-transfer-cost"], "geo.transfers", "off")):
                done = self.train("--updates", "1", "--policy", "marl", *options, "--out", out)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual(about(out)[key], value)
                self.assertIn(" ".join(options), about(out)["about.command"])
                done = penstock("simulate", self.SCENARIO, "--set", "workload.limit=100", "--json", "--no-progress",
                                "--policy", f"geo:router=marl:weights={out}")
                self.assertEqual(done.returncode, 0, done.stderr)
        done = penstock("train", LUBLIN, *TINY, "--policy", "rl", "--no-waiting", "--out", "w")
        self.assertEqual((done.returncode, done.stderr),
                         (2, "--no-waiting: rl has no such option; it is for marl, independent-rl and single-rl\n"))

    def test_goes_on_to_the_same_bits_after_a_kill(self):
        with tempfile.TemporaryDirectory() as folder:
            out, whole = (pathlib.Path(folder) / name for name in ("w.safetensors", "whole"))
            checkpoint = out.with_name(out.name + ".checkpoint")
            options = ["--policy", "marl", "--updates", "8", "--checkpoint-every", "1"]
            self.assertEqual(self.train(*options, "--out", whole).returncode, 0)
            running = subprocess.Popen([PROGRAM, "train", str(self.SCENARIO), *self.TINY, *options, "--out", str(out)],
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            while not checkpoint.exists() and running.poll() is None:
                time.sleep(0.001)
            running.send_signal(signal.SIGKILL)
            running.wait()
            done = self.train(*options, "--jobs", "2", "--resume", "--out", out)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(out.read_bytes(), whole.read_bytes())
            done = self.train(*options, "--set", "seed=9", "--seed", "2", "--resume", "--out", out)
            self.assertEqual(done.returncode, 2)
            self.assertIn(f"{checkpoint}: is of another training: origin was '", done.stderr)
            self.assertIn("seed was '1' and is now '2'", done.stderr)


class Train(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.out = pathlib.Path(folder.name) / "w.safetensors"

    def beside(self, ending):
        return self.out.with_name(self.out.name + ending)

    def test_writes_weights_the_curve_and_its_picture(self):
        done = train("--policy", "mars", "--teachers", "sjf,none", "--updates", "3", "--out", self.out)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("network sjf", done.stdout)
        self.assertIn("network rl", done.stdout)
        self.assertIn("fifo+easy", done.stdout)
        texts = about(self.out)
        self.assertEqual(texts["penstock.members"], "sjf rl")
        self.assertEqual(texts["about.scenario"], "lublin")
        self.assertEqual(texts["about.seed"], "1")
        self.assertIn("--teachers sjf,none", texts["about.command"])
        self.assertRegex(texts["about.curve"], r"sjf: -\d.* at first, -\d.* after \d of 3 updates")
        rows = list(csv.DictReader(self.beside(".csv").read_text().splitlines()))
        self.assertEqual([(row["network"], row["update"]) for row in rows],
                         [(name, str(update)) for name in ("sjf", "rl") for update in range(4)])
        self.assertGreater(float(rows[0]["teacher_agreement"]), 0.5)
        self.assertTrue(self.beside(".svg").read_text().startswith("<svg"))

    def test_weights_of_another_scenario_are_remarked_upon(self):
        self.assertEqual(train("--policy", "rl", "--updates", "1", "--out", self.out).returncode, 0)
        for name, remark in (("lublin", ""), ("other", f"note: {self.out}: trained on the scenario 'lublin', not on 'other'\n")):
            done = penstock("simulate", LUBLIN, "--set", f"name={name}", "--set", "workload.limit=5", "--no-progress",
                            "--policy", f"rl:weights={self.out}")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual([line for line in done.stderr.splitlines(True) if "trained" in line], [remark] if remark else [])

    def test_the_same_seed_makes_the_same_file(self):
        other = self.out.with_name("other")
        for out in (self.out, other):
            self.assertEqual(train("--policy", "rl", "--updates", "2", "--out", out).returncode, 0)
        self.assertEqual(self.out.read_bytes(), other.read_bytes())

    def test_goes_on_to_the_same_bits_after_a_kill(self):
        options = ["--policy", "rl", "--updates", "12", "--checkpoint-every", "1"]
        whole = self.out.with_name("whole")
        self.assertEqual(train(*options, "--out", whole).returncode, 0)
        command = [PROGRAM, "train", str(LUBLIN), *TINY, *options, "--out", str(self.out)]
        running = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while not self.beside(".checkpoint").exists() and running.poll() is None:
            time.sleep(0.001)
        running.send_signal(signal.SIGKILL)
        running.wait()
        done = train(*options, "--resume", "--out", self.out)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.out.read_bytes(), whole.read_bytes())

    def test_refuses_to_go_on_with_another_training(self):
        self.assertEqual(train("--policy", "rl", "--updates", "2", "--out", self.out).returncode, 0)
        for change, reason in ((["--seed", "2"], "seed was '1' and is now '2'"), (["--set", "site.pue=2"], "origin was"),
                               (["--window", "64"], "window was '128' and is now '64'")):
            done = train("--policy", "rl", "--updates", "2", *change, "--resume", "--out", self.out)
            self.assertEqual(done.returncode, 2)
            self.assertIn(f"{self.beside('.checkpoint')}: is of another training: {reason}", done.stderr)

    def test_refuses_what_cannot_be_trained(self):
        for options, reason in (
                (["--episode", "700"], "the part for training: an episode has 700 tasks, but there are only 480 to draw it from"),
                (["--episode", "200"], "the part held out for validation: an episode has 200 tasks, but there are only 120"),
                (["--teachers", "best"], "--teachers: no teacher 'best'; there are: none fifo sjf"),
                (["--policy", "rl", "--teachers", "sjf,f1"], "--teachers: the policy rl has one network"),
                (["--window", "1"], "--window"), (["--policy", "best"], "--policy"), (["--episode", "40", "--resume"], "w.safetensors.checkpoint"),
                (["--set", "site.peu=1"], "pue")):
            done = penstock("train", LUBLIN, *SHORT, *options, "--out", self.out)
            self.assertEqual((done.returncode, done.stdout), (2, ""), options)
            self.assertIn(reason, done.stderr)
        self.assertEqual(list(self.out.parent.iterdir()), [])

    def test_says_how_it_goes(self):
        done = penstock("train", LUBLIN, *TINY[:-1], "--policy", "rl", "--updates", "1", "--out", self.out)
        self.assertIn("training on lublin: 600 tasks, 256 x cpu-core, 8 episodes of 40", done.stderr)
        self.assertIn("rl (1 of 1): begins, validation -", done.stderr)


if __name__ == "__main__":
    main()
