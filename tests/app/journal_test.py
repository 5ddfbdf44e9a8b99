#!/usr/bin/env python3
"""What the daemon wrote down is a trace: it is replayed, and compared with how the site was scheduled before."""
import csv
import json
import pathlib
import sqlite3
import tempfile
import unittest

import journals
from journals import run_of
from program import DATA, main, penstock

SITE = """
[[site]]
name = "east"
price = { fixed = "0.1 EUR/kWh" }
[[site.nodes]]
count = 1
gpus = 4
gpu = "a100"
"""
ELASTIC = """
seed = 7
[workload]
profiles = "t4.toml"
[[site]]
name = "east"
[[site.nodes]]
count = 4
gpus = 4
gpu = "t4"
"""
POLICIES = ["fifo", "fifo:clock=zeus", "sjf:backfill=easy", "las", "tiresias", "gandiva", "afs", "optimus", "pollux", "sia", "powerflow", "powerflow:energy_budget=2.5 kWh/h",
            "andreas"]


class Journals(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.file = self.folder / "journal.sqlite"

    def turnarounds(self, *arguments):
        done = penstock("simulate", *arguments, "--out", self.folder / "again", "--no-progress")
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(self.folder / "again/jobs.csv") as table:
            return {row["job_id"]: float(row["turnaround_time"]) for row in csv.DictReader(table)}


class Replay(Journals):
    def write_three(self):
        """Two jobs of 100 s on all four GPUs, then one of 50 s on one of them: 10 s, 110 s and 210 s after their submission they end."""
        with journals.Journal(self.file) as journal:
            journal.began(SITE)
            for ref, gpus, start, end in ((1, 4, 0, 100), (2, 4, 100, 200), (3, 1, 200, 250)):
                journal.ended({"ref": str(ref), "gpus": gpus, "submitted_ms": 0, "time_limit_s": 300, "runs": [run_of(1000 * start, 1000 * end, gpus)]})

    def test_what_was_decided_is_simulated_again(self):
        """A job that was let wait for 20 s though there was room, and one that was stopped for it: no policy would do so."""
        with journals.Journal(self.file) as journal:
            journal.began(SITE)
            journal.ended({"ref": "1", "gpus": 4, "submitted_ms": 0, "time_limit_s": 900, "runs": [run_of(20_000, 60_000, 4), run_of(90_000, 150_000, 4)]})
            journal.ended({"ref": "2", "gpus": 4, "submitted_ms": 0, "time_limit_s": 900, "runs": [run_of(60_000, 90_000, 4)]})
        self.assertEqual(self.turnarounds("--journal", self.file, "--policy", "recorded", "--set", "costs.restart=0 s"), {"1": 150, "2": 90})

    def test_what_was_decided_needs_a_journal(self):
        done = penstock("simulate", DATA / "demo.toml", "--policy", "recorded", "--no-progress")
        self.assertEqual(done.returncode, 2)
        self.assertIn("possible: --journal FILE", done.stderr)

    def test_three_jobs_by_hand(self):
        self.write_three()
        self.assertEqual(self.turnarounds("--journal", self.file), {"1": 100, "2": 200, "3": 250})
        self.assertEqual(self.turnarounds("--journal", self.file, "--policy", "smallest"), {"3": 50, "1": 150, "2": 250})

    def test_jobs_start_no_sooner_than_the_journal_says_they_can(self):
        with journals.Journal(self.file) as journal:
            journal.began(SITE)
            for ref, lag in ((1, 2.0), (2, 3.0), (3, 60.0)):
                journal.ended({"ref": str(ref), "gpus": 4, "submitted_ms": 1000000 * ref, "time_limit_s": 300,
                               "runs": [run_of(1000000 * ref + 3000, 1000000 * ref + 103000, 4, lag_s=lag)]})
        self.assertEqual(self.turnarounds("--journal", self.file), {"1": 103, "2": 103, "3": 103})
        self.assertEqual(self.turnarounds("--journal", self.file, "--set", "costs.start=5 s"), {"1": 105, "2": 105, "3": 105})

    def test_the_users_own_scenario_takes_its_place(self):
        self.write_three()
        own = self.folder / "own.toml"
        own.write_text(SITE.replace("count = 1", "count = 3") + '[workload]\ntrace = "journal.sqlite"\nformat = "journal"\n')
        self.assertEqual(self.turnarounds(own), {"1": 100, "2": 100, "3": 50})
        own.write_text(SITE.replace("count = 1", "count = 2"))
        self.assertEqual(self.turnarounds(own, "--journal", self.file), {"1": 100, "2": 100, "3": 150})

    def test_every_policy_gives_back_the_turnarounds_of_its_own_run(self):
        trace = DATA / "pollux-1.csv.gz"
        (self.folder / "t4.toml").write_text(journals.fixed_batches((DATA / "models/t4.toml").read_text()))
        truth = self.folder / "truth.toml"
        truth.write_text(ELASTIC.replace("[workload]", f'[workload]\ntrace = "{trace}"\nformat = "pollux"\nlimit = 25\ngpus_max = 16\n'
                                                       'start = "2021-01-01T00:00Z"'))
        for number, policy in enumerate(POLICIES):
            with self.subTest(policy=policy):
                run, file = self.folder / f"run{number}", self.folder / f"{number}.sqlite"
                done = penstock("simulate", truth, "--policy", policy, "--log-decisions", "--out", run, "--no-progress")
                self.assertEqual(done.returncode, 0, done.stderr)
                with journals.Journal(file) as journal:
                    journal.began(ELASTIC, policy=policy)
                    expected = journals.from_run(journal, run, 4, "t4", 1609459200000)
                got = self.turnarounds("--journal", file, "--policy", policy)
                self.assertEqual(got.keys(), expected.keys())
                for name, seconds in expected.items():
                    self.assertAlmostEqual(got[name], seconds, delta=0.02, msg=name)

    def test_the_doctor_and_the_converter_read_it(self):
        self.write_three()
        facts = json.loads(penstock("trace", "inspect", self.file, "--json").stdout)
        self.assertEqual((facts["report"]["format"], facts["jobs"]), ("journal", 3))
        table = self.folder / "table.csv"
        self.assertEqual(penstock("trace", "convert", self.file, "--format", "journal", "--out", table).returncode, 0)
        self.assertEqual([row["actual_s"] for row in csv.DictReader(table.read_text().splitlines())], ["100", "100", "50"])

    def test_what_is_no_journal_is_refused(self):
        text = self.folder / "text.sqlite"
        text.write_text("no database, but long enough to be mistaken for one " * 20)
        empty = self.folder / "empty.sqlite"
        with journals.Journal(empty):
            pass
        for file, message in ((self.folder / "none", "no such file"), (text, "database: file is not a database"), (empty, "has no entry 'began', so no scenario")):
            for command in (("simulate", "--journal", file), ("savings", file)):
                done = penstock(*command)
                self.assertEqual((done.returncode, done.stderr.strip()), (2, f"{file}: {message}"))
        self.assertIn("SCENARIO: is missing", penstock("simulate").stderr)

    def test_a_scenario_that_cannot_be_read_is_named(self):
        with journals.Journal(self.file) as journal:
            journal.began("[[sites]]\n")
            journal.ended({"ref": "1", "runs": [run_of(0, 1000)]})
        done = penstock("simulate", "--journal", self.file)
        self.assertEqual(done.returncode, 2)
        self.assertIn(f"{self.file}:entry[1]:1: sites: unknown key; did you mean 'site'?", done.stderr)

    def test_bad_entries_are_named(self):
        with journals.Journal(self.file) as journal:
            journal.began(SITE)
            journal.write("ended", "{broken", job=7)
        done = penstock("simulate", "--journal", self.file)
        self.assertEqual((done.returncode, done.stderr.strip().splitlines()[-1]), (2, f"{self.file}:entry[2]: detail: is not an object of JSON"))


class SavingsOf(Journals):
    def savings(self, *arguments):
        done = penstock("savings", self.file, "--json", *arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def write_pairs(self, mode="live", policy="smallest", energy_j=3.6e6):
        """Thirty times a long job of four GPUs and a short one of one, which goes first under `smallest`."""
        with journals.Journal(self.file) as journal:
            journal.began(SITE, mode, policy)
            for i in range(30):
                t = 1000_000 * i
                short, long = ((t, t + 50_000), (t + 50_000, t + 150_000)) if mode == "live" else ((t + 100_000, t + 150_000), (t, t + 100_000))
                journal.ended({"ref": str(2 * i), "gpus": 4, "submitted_ms": t, "time_limit_s": 100, "runs": [run_of(*long, 4)], "energy_j": energy_j})
                journal.ended({"ref": str(2 * i + 1), "gpus": 1, "submitted_ms": t, "time_limit_s": 50, "runs": [run_of(*short)], "energy_j": energy_j})

    def test_smallest_first_saves_time_that_can_be_worked_out_by_hand(self):
        self.write_pairs()
        found = self.savings()
        self.assertEqual((found["jobs"], found["policy"], found["former"]), (60, "smallest", "fifo:backfill=easy"))
        self.assertEqual(found["happened"]["jct_mean_s"], 100)      # 50 s and 150 s
        self.assertEqual(found["replayed"]["jct_mean_s"], 100)
        self.assertEqual(found["former_would"]["jct_mean_s"], 125)  # 100 s and 150 s
        self.assertEqual(found["saved"]["jct_mean_s"], {"value": 25, "low": 25, "high": 25, "percent": 20})
        self.assertEqual(found["model_error"]["jct_mean_s"], 0)
        self.assertEqual(found["saved"]["energy_kwh"]["value"], 0)
        self.assertEqual(found["happened"]["energy_kwh"], 60)
        self.assertLess(found["saved"]["energy_kwh"]["low"], 0)     # the models were wrong about energy, and that is said
        self.assertIsNone(found["saved"]["tardiness_mean_s"])

    def test_in_shadow_mode_the_former_policy_is_the_one_that_ran(self):
        self.write_pairs("shadow")
        found = self.savings()
        self.assertEqual(found["happened"]["jct_mean_s"], 125)
        self.assertEqual(found["replayed"], found["former_would"])
        self.assertEqual(found["policy_would"]["jct_mean_s"], 100)
        self.assertEqual(found["saved"]["jct_mean_s"]["value"], 25)
        self.assertEqual(found["model_error"]["jct_mean_s"], 0)

    def test_policies_can_be_chosen(self):
        self.write_pairs()
        found = self.savings("--former", "smallest", "--policy", "sjf:backfill=easy")
        self.assertEqual((found["former"], found["policy"]), ("smallest", "sjf:backfill=easy"))
        self.assertEqual(found["saved"]["jct_mean_s"]["value"], 0)
        done = penstock("savings", self.file, "--former", "fifi")
        self.assertEqual(done.returncode, 2)
        self.assertIn("--former: no policy 'fifi'", done.stderr)

    def test_too_few_jobs_say_nothing(self):
        self.write_pairs()
        found = self.savings("--since", "1970-01-01T05:00Z")
        self.assertEqual((found["jobs"], found["saved"]["energy_kwh"]), (24, None))
        self.assertIn("no savings are stated: 24 jobs", found["notes"][0])
        self.assertEqual(penstock("savings", self.file, "--since", "1970-01-01T05:00Z").stdout, found["notes"][0] + "\n", "and no table of dashes")

    def test_count_from_the_last_change_of_mode_or_policy(self):
        self.write_pairs()
        with sqlite3.connect(self.file) as database:
            for when, policy in ((3000_000, "fifo"), (10_000_000, "smallest"), (12_000_000, "smallest")):
                detail = {"mode": "live", "policy": policy, "options": {}, "scenario": SITE}
                database.execute("INSERT INTO entries(when_ms, site, what, detail) VALUES(?, '', 'began', ?)", (when, json.dumps(detail)))
        database.close()
        found = self.savings()
        self.assertEqual((found["from"], found["jobs"]), ("1970-01-01T02:46:40Z", 40))
        whole = self.savings("--since", "1970-01-01T00:00Z")
        self.assertEqual(whole["jobs"], 60)
        self.assertTrue(any("changed at 1970-01-01T02:46:40Z" in note for note in whole["notes"]))

    def test_one_bad_entry_is_passed_over_and_said(self):
        self.write_pairs()
        with sqlite3.connect(self.file) as database:
            database.execute("INSERT INTO entries(when_ms, site, job, what, detail) VALUES(0, 'east', 999, 'ended', '{')")
        database.close()
        found = self.savings()
        self.assertEqual(found["jobs"], 60)
        self.assertTrue(any("1 row left out: detail: not valid JSON" in note for note in found["notes"]))


if __name__ == "__main__":
    main()
