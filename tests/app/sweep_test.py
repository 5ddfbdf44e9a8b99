#!/usr/bin/env python3
"""penstock sweep: what simulate gives, point by point; goes on where it stopped, also after kill -9; trains several seeds."""
import csv
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import time
import unittest

from program import DATA, PROGRAM, main, penstock

SCENARIO = """
seed = 3
[workload]
trace = "jobs.csv"
format = "csv"
[[site]]
name = "lab"
price = { fixed = "0.2 EUR/kWh" }
carbon = { fixed = "300 g/kWh" }
[[site.nodes]]
gpus = 8
gpu = "a100"
[policy]
name = "fifo"
[costs]
currency = "EUR"
[sweep]
"site.pue" = [1.1, 1.4]
"""
MEASURED = ("decision_mean_us", "decision_p99_us", "wall_s", "jobs_per_s", "peak_rss_mb")
TINY = ["--set", "workload.generate.jobs=600", "--", "--episode", "40", "--episodes", "8", "--validation", "4", "--worlds", "4",
        "--validate-every", "2"]


def without_clock(summary):
    for run in summary["runs"]:
        for name in MEASURED:
            del run[name]
    return summary


class InAFolder(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        penstock("trace", "generate", "--jobs", "40", "--sizes", "1:0.5,4:0.5", "--out", "jobs.csv", cwd=self.folder)
        (self.folder / "s.toml").write_text(SCENARIO)
        self.out = self.folder / "out"

    def sweep(self, *options, scenario="s.toml"):
        return penstock("sweep", scenario, "--out", "out", *options, cwd=self.folder)

    def fine(self, *options):
        done = self.sweep(*options)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def refused(self, *options):
        done = self.sweep(*options)
        self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
        return done.stderr

    def rows(self):
        with open(self.out / "sweep.csv", newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file))

    def points(self):
        return {path.parent.name: path.stat().st_mtime_ns for path in self.out.glob("*/summary.json")}


class Sweep(InAFolder):
    def test_gives_what_simulate_gives(self):
        done = self.fine("--policy", "fifo,sjf", "--json")
        simulated = penstock("simulate", "s.toml", "--policy", "fifo,sjf", "--json", cwd=self.folder)
        self.assertEqual(without_clock(json.loads(done.stdout)), without_clock(json.loads(simulated.stdout)))
        self.assertEqual((self.out / "summary.json").read_text(), done.stdout)

    def test_gives_what_simulate_gives_across_sites(self):
        few = ["--set", "workload.limit=100", "--policy", "geo:router=cheapest,geo:router=local,geo:router=thrifty", "--json"]
        done = penstock("sweep", DATA / "scenarios/geo.toml", *few, "--vary", "utility.carbon=0.5,1", "--out", self.out)
        self.assertEqual(done.returncode, 0, done.stderr)
        text = (DATA / "scenarios/geo.toml").read_text().replace('"../', f'"{DATA}/')
        (self.folder / "geo.toml").write_text(text + '\n[sweep]\n"utility.carbon" = [0.5, 1]\n')
        simulated = penstock("simulate", "geo.toml", *few, "--no-progress", cwd=self.folder)
        self.assertEqual(simulated.returncode, 0, simulated.stderr)
        self.assertEqual(without_clock(json.loads(done.stdout))["runs"], without_clock(json.loads(simulated.stdout))["runs"])

    def test_has_a_row_and_a_folder_for_each_point(self):
        done = self.fine("--policy", "fifo,sjf:backfill=easy", "--vary", "seed=1,2")
        rows = self.rows()
        self.assertEqual([(row["site.pue"], row["seed"], row["policy"]) for row in rows],
                         [(pue, seed, policy) for pue in ("1.1", "1.4") for seed in "12" for policy in ("fifo", "sjf:backfill=easy")])
        self.assertEqual(sorted(row["point"] for row in rows), sorted(self.points()))
        for row in rows:
            point = json.loads((self.out / row["point"] / "summary.json").read_text())
            self.assertEqual(float(row["energy_kwh"]), point["runs"][0]["energy_kwh"])
        self.assertIn("fronts", done.stdout.splitlines()[0])
        self.assertIn("a: on the Pareto front of energy_kwh x jct_mean_s", done.stdout)

    def test_marks_who_is_not_dominated(self):
        self.fine("--policy", "fifo,sjf", "--pareto", "energy_kwh,wait_mean_s", "--pareto", "gpu_utilization,energy_cost")
        rows = self.rows()
        value = lambda row: (float(row["energy_kwh"]), float(row["wait_mean_s"]))
        for row in rows:
            beaten = any(all(a <= b for a, b in zip(value(other), value(row))) and value(other) != value(row) for other in rows)
            self.assertEqual(row["pareto_energy_kwh_wait_mean_s"], "0" if beaten else "1")
            self.assertIn(row["pareto_gpu_utilization_energy_cost"], "01")

    def test_vary_replaces_the_axis_of_the_file(self):
        self.fine("--vary", "site.pue=2")
        self.assertEqual([row["site.pue"] for row in self.rows()], ["2"])

    def test_only_what_is_missing_is_run(self):
        first = self.fine("--policy", "fifo,sjf")
        before = self.points()
        again = self.fine("--policy", "fifo,sjf")
        self.assertEqual((first.stdout, before), (again.stdout, self.points()))
        self.assertIn("4 of 4 points are there already", again.stderr)
        gone = sorted(before)[1]
        (self.out / gone / "summary.json").unlink()
        self.fine("--policy", "fifo,sjf,las")
        after = self.points()
        self.assertEqual({name for name in before if before[name] == after[name]}, {*before} - {gone})
        self.assertEqual(len(after), 6)

    def test_some_points_may_be_run_elsewhere(self):
        self.assertIn("No such file", self.refused("--points", "0"))
        self.out.mkdir()
        self.assertEqual(self.fine("--points", "1").stdout, "")
        self.assertEqual(len(self.points()), 1)
        self.assertIn("1 of 2 points are there", self.fine().stderr)

    def test_killed_at_any_time_it_loses_only_what_was_in_work(self):
        os.mkfifo(self.folder / "slow.csv")  # a point that reads it never ends
        options = ["--vary", "workload.trace=jobs.csv,slow.csv", "--jobs", "1"]
        with subprocess.Popen([PROGRAM, "sweep", "s.toml", "--out", "out", *options], cwd=self.folder,
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
            deadline = time.monotonic() + 60
            while len(list(self.out.glob("*/summary.json"))) < 1 and time.monotonic() < deadline:
                time.sleep(0.01)
            process.kill()
        before = self.points()
        self.assertEqual(len(before), 1)
        (self.folder / "slow.csv").unlink()
        shutil.copy(self.folder / "jobs.csv", self.folder / "slow.csv")
        self.assertIn("1 of 4 points are there", self.fine(*options).stderr)
        self.assertEqual({name: self.points()[name] for name in before}, before)
        self.assertEqual(len(self.rows()), 4)

    def test_killed_over_and_over_it_comes_to_the_same_end(self):
        options = ["--policy", "fifo,sjf,las,edf", "--vary", "seed=1,2,3,4,5", "--jobs", "2"]
        for kill in range(12):
            with subprocess.Popen([PROGRAM, "sweep", "s.toml", "--out", "out", *options], cwd=self.folder,
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
                try:
                    process.wait(0.004 * kill)
                except subprocess.TimeoutExpired:
                    process.kill()
        done = self.fine(*options, "--json")
        other = penstock("sweep", "s.toml", "--out", "other", *options, "--json", cwd=self.folder)
        self.assertEqual(without_clock(json.loads(done.stdout)), without_clock(json.loads(other.stdout)))

    def test_a_point_that_fails_does_not_stop_the_others(self):
        (self.folder / "bad.csv").write_text("nonsense\n")
        done = self.sweep("--vary", "workload.trace=bad.csv,jobs.csv")
        self.assertEqual(done.returncode, 2)
        self.assertIn("2 of 4 points failed\nfifo", done.stderr)
        self.assertIn("bad.csv", done.stderr)
        self.assertEqual(len(self.rows()), 2)
        shutil.copy(self.folder / "jobs.csv", self.folder / "bad.csv")
        self.fine("--vary", "workload.trace=bad.csv,jobs.csv")
        self.assertEqual(len(self.rows()), 4)

    def test_without_out_the_folder_is_named_after_the_scenario(self):
        done = penstock("sweep", "s.toml", cwd=self.folder)
        self.assertIn("results are in s.sweep", done.stderr)
        self.assertTrue((self.folder / "s.sweep/sweep.csv").exists())


class BadInput(InAFolder):
    def test_a_folder_of_something_else_is_refused(self):
        self.fine()
        self.assertRegex(self.refused("--set", "site.pue=1", "--policy", "sjf"), "it holds 'fifo-.*', which is no point of this sweep "
                         r"\(a point of scenario [0-9a-f]{16}, version .*; name another folder")
        (self.folder / "s.toml").write_text(SCENARIO + "# changed\n")
        self.assertIn("no point of this sweep", self.refused())
        shutil.rmtree(self.out)
        self.out.mkdir()
        (self.out / "thesis.txt").write_text("mine")
        self.assertIn("it holds 'thesis.txt'", self.refused())
        shutil.rmtree(self.out)
        self.out.write_text("a file")
        self.assertIn("--out out: ", self.refused())

    def test_a_summary_that_is_not_of_its_point_is_refused(self):
        self.fine()
        point = next(self.out.glob("*/summary.json"))
        point.write_text("{}")
        self.assertIn("is not of this point; remove it", self.refused())

    def test_what_cannot_be_swept_is_told(self):
        for options, word in ((["--vary", "site.peu=1"], "--vary site.peu=1: site.peu: unknown key; did you mean 'pue'?"),
                              (["--vary", "site.pue"], "--vary site.pue: is not key=value,value,..."),
                              (["--vary", "site.pue=1,"], "has an empty value"),
                              (["--vary", "seed=1", "--vary", "seed=2"], "seed varies already"),
                              (["--vary", "seed=1,1"], "two points are the same: fifo"),
                              (["--policy", "fifo,fifo"], "two points are the same: fifo"),
                              (["--policy", "best"], "no policy 'best'"),
                              (["--pareto", "energy"], "is not two measures"),
                              (["--pareto", "energy,wait"], "there is no measure 'energy'; possible: "),
                              (["--points", "7"], "--out out: No such file"),
                              (["--no-wait"], "go with --slurm"),
                              (["word"], "'word' is one word too many")):
            self.assertIn(word, self.refused(*options), options)
            self.assertFalse(self.out.exists(), options)
        self.out.mkdir()
        self.assertIn("--points: there is no 7; the last is 1", self.refused("--points", "7"))
        self.assertIn("this is none", self.refused("--points", "@s.toml"))
        self.assertIn("the scenario or the program has changed", self.refused("--points", "0", "--of", "abc"))


class Trainings(InAFolder):
    def train(self, *options):
        return penstock("sweep", DATA / "studies/mars/lublin.toml", "--train", "rl", "--out", self.out, *options, *TINY, "--updates", "2")

    def test_each_seed_is_trained_and_the_best_named(self):
        done = self.train("--vary", "seed=1,3")
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = self.rows()
        self.assertEqual([row["seed"] for row in rows], ["1", "3"])
        best = max(rows, key=lambda row: float(row["margin"]))
        self.assertEqual((best["best"], sum(int(row["best"]) for row in rows)), ("1", 1))
        self.assertIn(f"best: {best['weights']}\n", done.stdout)
        alone = self.folder / "alone"
        trained = penstock("train", DATA / "studies/mars/lublin.toml", "--policy", "rl", "--seed", "3", "--updates", "2", "--out", alone,
                           *(word for word in TINY if word != "--"))
        self.assertEqual(trained.returncode, 0, trained.stderr)
        self.assertEqual(pathlib.Path(f"{alone}.csv").read_text(), pathlib.Path(rows[1]["weights"] + ".csv").read_text())
        again = self.train("--vary", "seed=1,3")
        self.assertEqual((again.returncode, again.stdout), (0, done.stdout))
        self.assertIn("2 of 2 points are there already", again.stderr)

    def test_a_killed_sweep_takes_its_trainings_along_and_resumes_them(self):
        longer = ["--vary", "seed=3", *TINY, "--checkpoint-every", "1", "--patience", "1000", "--updates"]
        words = [PROGRAM, "sweep", str(DATA / "studies/mars/lublin.toml"), "--train", "rl", "--out", str(self.out)]
        with subprocess.Popen([*words, *longer, "300"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
            deadline = time.monotonic() + 60
            while not list(self.out.glob("*/*.checkpoint")) and time.monotonic() < deadline:
                time.sleep(0.005)
            process.kill()
        checkpoint, = self.out.glob("*/*.checkpoint")
        self.assertEqual(list(self.out.glob("*/summary.json")), [])
        deadline = time.monotonic() + 60
        while self.trains(checkpoint.parent) and time.monotonic() < deadline:
            time.sleep(0.01)
        self.assertFalse(self.trains(checkpoint.parent))
        done = subprocess.run([*words, *longer, "300"], capture_output=True, text=True, timeout=120, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        row, = self.rows()
        whole = subprocess.run([*words[:-1], str(self.folder / "whole"), *longer, "300"], capture_output=True, text=True, timeout=120, check=False)
        self.assertEqual(whole.returncode, 0, whole.stderr)
        other, = (self.folder / "whole").glob("*/weights.safetensors.csv")
        self.assertEqual(pathlib.Path(row["weights"] + ".csv").read_text(), other.read_text())

    @staticmethod
    def trains(folder):
        """Does a process write into that folder?"""
        for entry in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
            try:
                if str(folder).encode() in entry.read_bytes():
                    return True
            except OSError:
                pass
        return False

    def test_what_train_refuses_is_told(self):
        done = self.train("--vary", "sede=1")
        self.assertEqual(done.returncode, 2)
        self.assertIn("there is no option '--sede'", done.stderr)
        for options, word in ((["--policy", "fifo"], "--policy: is for simulations"), (["--pareto", "a,b"], "--pareto")):
            self.assertIn(word, self.train(*options).stderr)


if __name__ == "__main__":
    main()
