#!/usr/bin/env python3
"""The quick study runs as its help says, and says what it found."""
import csv
import pathlib
import re
import shlex
import subprocess
import tempfile
import unittest

from program import DATA, PROGRAM, main, penstock


class Powerflow(unittest.TestCase):
    def test_the_example_of_its_help_works_and_no_budget_is_overspent(self):
        example = re.search(r"^Example: (penstock .*)$", penstock("study", "powerflow", "--help").stdout, re.M)[1]
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "data").symlink_to(DATA)
            done = subprocess.run([PROGRAM, *shlex.split(example)[1:]], cwd=folder, capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
            with open(pathlib.Path(folder) / "study/study.csv", encoding="utf-8") as file:
                rows = list(csv.DictReader(file))
            self.assertIn("<svg", (pathlib.Path(folder) / "study/elasticflow.svg").read_text())
        for rival in ("tiresias", "gandiva", "afs", "optimus", "pollux", "srtf", "sjf", "afs zeus-0.5", "afs zeus"):
            self.assertRegex(done.stdout, rf"(?m)^{rival} +\d")
            for trace in ("elasticflow", "7f04ca"):
                self.expect_no_more_energy([row for row in rows if (row["rival"], row["trace"]) == (rival, trace)])

    def expect_no_more_energy(self, rows):
        theirs = float(rows[0]["energy_kwh"])
        self.assertEqual(rows[0]["policy"], rows[0]["rival"])
        self.assertGreaterEqual(len(rows), 2)
        for ours in rows[1:]:
            self.assertEqual(ours["jobs_finished"], ours["jobs_submitted"])
            if float(ours["part"]) >= 0.8:
                self.assertLessEqual(float(ours["energy_kwh"]), float(ours["part"]) * theirs * 1.01, ours)

    def test_cases_that_are_not_there_are_refused(self):
        for given, said in ((["--only", "nosuch"], "--only: no case has a trace 'nosuch'; possible: elasticflow 0e4a51"),
                            (["--quick", "--tuning"], "--quick excludes --tuning")):
            done = penstock("study", "powerflow", "--data", DATA, *given)
            self.assertEqual(done.returncode, 2)
            self.assertIn(said, done.stderr)

    def test_without_its_data_it_says_where_they_should_be(self):
        with tempfile.TemporaryDirectory() as folder:
            done = penstock("study", "powerflow", cwd=folder)
        self.assertEqual((done.returncode, done.stderr), (2, "data/studies/powerflow: there are no scenarios of the study; "
                                                         "run penstock where data/ is, or name that folder with --data\n"))


class Geo(unittest.TestCase):
    def test_compares_every_router_on_each_stretch(self):
        with tempfile.TemporaryDirectory() as folder:
            done = penstock("study", "geo", "--quick", "--only", "pai", "--data", DATA, "--out", folder)
            self.assertEqual(done.returncode, 0, done.stderr)
            with open(pathlib.Path(folder) / "study.csv", encoding="utf-8") as file:
                rows = list(csv.DictReader(file))
            with open(pathlib.Path(folder) / "pareto.csv", encoding="utf-8") as file:
                pareto = list(csv.DictReader(file))
            pictures = {path.name: path.read_text() for path in pathlib.Path(folder).glob("*.svg")}
        self.assertEqual({row["period"] for row in rows}, {"choice", "test"})
        for row in rows:
            terms = [float(row[name]) for name in ("gpu_utilization", "relative_cost", "relative_carbon", "relative_transfer", "late_share")]
            self.assertAlmostEqual(float(row["utility"]), terms[0] - 0.5 * terms[1] - 0.5 * terms[2] - 0.1 * terms[3] - terms[4])
        local = [row for row in rows if row["router"] == "local"]
        self.assertEqual({(row["relative_cost"], row["relative_carbon"], row["transfers"]) for row in local}, {("1", "1", "0")})
        self.assertIn("pai: means over 2 test stretches", done.stdout)
        self.assertRegex(done.stdout, r"mpc +\+\d")
        self.expect_pareto(pareto)
        self.assertLessEqual({"map-pai-local.svg", "map-pai-mpc.svg", "map-pai-marl.svg", "shares-pai.svg", "pareto-pai.svg"}, pictures.keys())
        self.assertIn(">amsterdam<", pictures["shares-pai.svg"])
        self.assertIn("EUR/MWh", pictures["map-pai-mpc.svg"])
        self.assertRegex(done.stdout, r"(?m)^thrifty +-0\.\d{4} +-0\.\d{4} +[-+]0\.\d{4} ±", "with other forecasts")

    def expect_pareto(self, rows):
        """Who weighs carbon more has less of it, and weights of a half are those of all other runs."""
        for router in ("mpc", "thrifty"):
            ours = [row for row in rows if row["router"] == router and row["stretch"] == "1"]
            self.assertEqual([row["carbon_weight"] for row in ours], ["0", "0.25", "0.5", "0.75", "1"])
            self.assertLess(float(ours[-1]["relative_carbon"]), float(ours[0]["relative_carbon"]))
        self.assertEqual({row["cost_weight"] for row in rows if row["router"] in ("local", "marl")}, {""})

    def test_runs_what_was_trained_and_says_what_was_not(self):
        with tempfile.TemporaryDirectory() as folder:
            for name in ("marl", "marl-seed2", "marl-seed3", "marl-no-critic"):
                (pathlib.Path(folder) / f"geo-pai-{name}.safetensors").symlink_to(DATA / "weights/geo-pai-marl.safetensors")
            done = penstock("study", "geo", "--quick", "--only", "pai", "--data", DATA, "--weights", folder, "--no-progress")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertRegex(done.stdout, r"(?m)^marl-no-critic +-0\.\d{3} ")
        self.assertRegex(done.stdout, r"marl, 3 seeds: utility -0\.\d+ on average, deviation 0\.000, ")
        self.assertIn("(no geo-pai-NAME.safetensors in --weights), so not shown: independent-rl single-rl marl-no-transfer marl-no-waiting\n",
                      done.stdout)

    def test_says_which_workloads_there_are(self):
        done = penstock("study", "geo", "--only", "pay", "--data", DATA)
        self.assertEqual((done.returncode, done.stderr), (2, "--only: there is no 'pay'; possible: pai philly\n"))


class Mars(unittest.TestCase):
    def test_one_window_runs_every_policy_on_jobs_never_trained_on(self):
        with tempfile.TemporaryDirectory() as folder:
            done = penstock("study", "mars", "--only", "lublin", "--windows", "1", "--data", DATA, "--out", folder)
            self.assertEqual(done.returncode, 0, done.stderr)
            with open(pathlib.Path(folder) / "study.csv", encoding="utf-8") as file:
                rows = list(csv.DictReader(file))
            self.assertIn("best in hindsight", (pathlib.Path(folder) / "lublin.svg").read_text())
        self.assertRegex(done.stderr, r"study mars: 6 of 6: lublin, \w+ window \d")
        self.assertRegex(done.stdout, r"(?m)^lublin +1  \w+(\+easy)? ")
        self.assertEqual({row["jobs"] for row in rows}, {"512"})
        test = {row["policy"]: row for row in rows if row["part"] == "test"}
        for order in ("fifo", "sjf", "smallest", "wfp3", "unicep", "f1", "f2", "f3", "f4"):
            self.assertTrue({order, order + "+easy"} <= test.keys())
        for policy in ("mars", "mars cost", "mars no look-ahead", "mars plain orders"):
            self.assertGreaterEqual(float(test[policy]["bounded_slowdown_mean"]), 1)
        for row in rows:
            first = int(row["first"])
            self.assertTrue(first >= 10000 if row["part"] == "test" else first + 512 <= 10000)

    def test_without_networks_it_says_that_rl_is_left_out(self):
        with tempfile.TemporaryDirectory() as folder:
            done = penstock("study", "mars", "--only", "eagle", "--windows", "1", "--data", DATA, "--weights", folder,
                            "--no-progress")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("No trained networks (--weights) for: eagle.", done.stdout)

    def test_says_what_is_possible_if_a_workload_or_a_folder_is_not(self):
        done = penstock("study", "mars", "--only", "lubin", "--data", DATA)
        self.assertEqual((done.returncode, done.stderr), (2, "--only: no workload 'lubin'; there are: lisa eagle lublin "
                                                         "mustang azure philly workflows\n"))
        done = penstock("study", "mars", "--weights", "nowhere", "--data", DATA)
        self.assertEqual((done.returncode, done.stderr), (2, "--weights: nowhere: no such folder\n"))


if __name__ == "__main__":
    main()
