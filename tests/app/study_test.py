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
        for rival in ("tiresias", "gandiva", "afs", "optimus", "srtf", "sjf", "afs zeus"):
            self.assertRegex(done.stdout, rf"(?m)^{rival} +\d")
            duel = [row for row in rows if row["rival"] == rival and row["trace"] == "elasticflow"]
            theirs, ours = duel
            self.assertEqual((theirs["policy"], ours["policy"]), (rival, "powerflow"))
            self.assertLessEqual(float(ours["energy_kwh"]), float(theirs["energy_kwh"]))
            self.assertLess(float(ours["jct_mean_s"]), float(theirs["jct_mean_s"]))

    def test_without_its_data_it_says_where_they_should_be(self):
        with tempfile.TemporaryDirectory() as folder:
            done = penstock("study", "powerflow", cwd=folder)
        self.assertEqual((done.returncode, done.stderr), (2, "data/studies/powerflow: there are no scenarios of the study; "
                                                         "run penstock where data/ is, or name that folder with --data\n"))


if __name__ == "__main__":
    main()
