#!/usr/bin/env python3
"""The commands beside simulate do what their help says, and every example of the helps works."""
import gzip
import json
import os
import pathlib
import re
import shlex
import subprocess
import tempfile
import unittest

from program import DATA, PROGRAM, main, penstock

COMMANDS = [[], ["simulate"], ["report"], ["validate"], ["policies"], ["trace"], ["trace", "inspect"], ["trace", "convert"],
            ["trace", "generate"], ["fit"], ["bound"], ["plan"], ["study"], ["study", "powerflow"],
            ["study", "andreas"], ["study", "mars"], ["train"], ["sweep"], ["serve"], ["submit"], ["queue"], ["explain"],
            ["cancel"], ["pause"], ["resume"], ["agent"], ["savings"]]
LIVE = "serve submit queue explain cancel pause resume agent".split()  # need a daemon, a cluster or a GPU
ORDERS = "fifo sjf srtf smallest edf priority wfp3 unicep f1 f2 f3 f4 las".split()
TRACES = {"philly-sample.csv.gz": "philly", "chronus.csv.gz": "chronus", "eagle.swf.gz": "swf", "elasticflow.csv.gz": "elasticflow",
          **{path.name: "gavel" for path in DATA.glob("gavel-*.trace.gz")}, "openb-pods.csv.gz": "openb", "pai.csv.gz": "pai", "pai-100k.csv.gz": "pai",
          "azure.csv.gz": "pai", "mustang.csv.gz": "pai", "lisa.swf.gz": "swf", "philly.csv.gz": "philly",
          "pollux-1.csv.gz": "pollux", "batsim-six-jobs.json": "batsim",
          **{f"workflows/{path.name}": "wfformat" for path in DATA.glob("workflows/*.json.gz")}}
OTHER_SERIES = re.compile("carbon|price|weather|openb-nodes")


class Help(unittest.TestCase):
    def test_every_command_has_one_with_an_example(self):
        for words in COMMANDS:
            done = penstock(*words, "--help")
            self.assertEqual((done.returncode, done.stderr), (0, ""), words)
            self.assertIn("\nExample: penstock", done.stdout, words)

    def test_every_command_is_listed(self):
        listed = re.findall(r"^  (\w+) {4,}", penstock("--help").stdout.split("Subcommands:")[1], re.M)
        self.assertEqual(listed, [words[0] for words in COMMANDS if len(words) == 1])

    def test_every_example_works(self):
        for words in COMMANDS:
            if words[:1] == ["study"] or words[:1] and words[0] in LIVE:  # takes long: study_test.py; see tests/slurm
                continue
            example = re.search(r"^Example: (penstock .*)$", penstock(*words, "--help").stdout, re.M)
            with self.subTest(example=example[1]), tempfile.TemporaryDirectory() as folder:
                (pathlib.Path(folder) / "data").symlink_to(DATA)
                if words == ["report"]:
                    penstock("simulate", "data/demo.toml", "--out", "out", cwd=folder)
                done = penstock(*shlex.split(example[1])[1:], cwd=folder)
                self.assertEqual(done.returncode, 0, done.stderr)

    def test_version(self):
        self.assertRegex(penstock("--version").stdout, r"^penstock \d+\.\d+\.\d+\n$")


class Policies(unittest.TestCase):
    def test_lists_every_order_with_a_default_for_each_option(self):
        listing = penstock("policies").stdout
        self.assertLessEqual(max(map(len, listing.splitlines())), 120)
        self.assertTrue(listing.endswith("\npenstock policies NAME explains its options\n"), listing[-200:])
        text = " ".join(listing.split())
        for policy in json.loads(penstock("policies", "--json").stdout):
            row = f"{policy['name']} {policy['summary']}"
            if policy["options"]:
                row += " options: " + ", ".join(f"{option['name']}={option['default']}" for option in policy["options"])
            self.assertIn(row, text)
            for option in policy["options"]:
                self.assertNotEqual(option["default"], "", policy)

    def test_are_those_of_the_design(self):
        policies = json.loads(penstock("policies", "--json").stdout)
        names = [policy["name"] for policy in policies]
        self.assertEqual([name for name in ORDERS if name not in names], [])
        for policy in policies:
            if policy["name"] in ORDERS:
                self.assertLessEqual({"backfill", "place"}, {option["name"] for option in policy["options"]})

    def test_one_is_shown_with_what_it_does_and_all_its_options(self):
        for policy in json.loads(penstock("policies", "--json").stdout):
            done = penstock("policies", policy["name"])
            self.assertEqual((done.returncode, done.stderr), (0, ""), policy["name"])
            text = " ".join(done.stdout.split())
            self.assertIn(f"{policy['name']}: {policy['summary']}", text)
            for option in policy["options"]:
                self.assertIn(f"{option['name']} {option['meaning']} (default: {option['default']})", text)
            self.assertLessEqual(max(map(len, done.stdout.splitlines())), 120)
            self.assertEqual(json.loads(penstock("policies", policy["name"], "--json").stdout), policy)

    def test_what_one_does_is_told(self):
        traits = {policy["name"]: policy["traits"] for policy in json.loads(penstock("policies", "--json").stdout)}
        self.assertEqual(traits["fifo"], [])
        self.assertEqual(traits["srtf"], ["preempts"])
        self.assertIn("keeps-budget", traits["powerflow"])
        self.assertIn("  - keeps an energy budget, if given one\n", penstock("policies", "powerflow").stdout)

    def test_an_unknown_one_is_refused_with_the_nearest(self):
        done = penstock("policies", "powerflo")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertRegex(done.stderr, r"^no policy 'powerflo'; there are: fifo .*; did you mean 'powerflow'\?\n$")


class Bound(unittest.TestCase):
    FIGURES = ["jct_mean_s", "makespan_s", "energy_kwh", "total_cost"]

    def bounds(self, *arguments):
        done = penstock("bound", *arguments, "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)["bounds"]

    def test_are_below_every_run(self):
        for name in ("demo.toml", "scenarios/pollux-elastic.toml", "scenarios/sleeping-nodes.toml"):
            bound, = self.bounds(DATA / name)
            done = penstock("simulate", DATA / name, "--policy", "fifo,srtf,powerflow", "--with-bound", "--json", "--no-progress")
            for run in json.loads(done.stdout)["runs"]:
                for key in self.FIGURES:
                    self.assertLessEqual(bound[key], run[key], (name, run["policy"], key))
                self.assertEqual(run["bound_jct_mean_s"], bound["jct_mean_s"])
                self.assertAlmostEqual(run["gap_energy"], run["energy_kwh"] / bound["energy_kwh"] - 1)

    def test_without_the_flag_summaries_have_no_gaps(self):
        done = penstock("simulate", DATA / "scenarios/batsim.toml", "--json", "--no-progress")
        for run in json.loads(done.stdout)["runs"]:
            self.assertEqual([run[key] for key in run if re.match("gap_|bound_", key)], [None] * 9)

    def test_follow_changes_of_the_scenario(self):
        cool, = self.bounds(DATA / "demo.toml", "--set", "site.pue=1")
        hot, = self.bounds(DATA / "demo.toml", "--set", "site.pue=2")
        self.assertAlmostEqual(hot["energy_kwh"], 2 * cool["energy_kwh"], delta=1e-6 * hot["energy_kwh"])

    def test_hold_for_runs_with_a_budget_of_energy(self):
        scenario = DATA / "scenarios/pollux-elastic.toml"
        done = penstock("simulate", scenario, "--policy", "afs,powerflow", "--json", "--no-progress")
        for run in json.loads(done.stdout)["runs"]:
            bound, = self.bounds(scenario, "--energy-budget", f"{run['energy_kwh'] + 1e-6:.7f} kWh")
            self.assertLessEqual(bound["jct_mean_in_budget_s"], run["jct_mean_s"])
            self.assertGreater(bound["jct_mean_in_budget_s"], bound["jct_mean_s"])

    def test_tell_what_is_needed_if_a_budget_is_too_small(self):
        plain, = self.bounds(DATA / "demo.toml")
        self.assertNotIn("jct_mean_in_budget_s", plain)
        done = penstock("bound", DATA / "demo.toml", "--energy-budget", "100 kWh")
        self.assertEqual(done.returncode, 2)
        self.assertIn(f"is less than any run of philly-on-a100 needs, {plain['energy_kwh']:.2f} kWh", done.stderr)
        for budget, message in (("1 kWh/h", "is by time"), ("many", "'many' is no energy; possible: an energy such as '900 kWh'")):
            done = penstock("bound", DATA / "demo.toml", "--energy-budget", budget)
            self.assertEqual(done.returncode, 2)
            self.assertIn(message, done.stderr)

    def test_of_a_bad_scenario_are_refused(self):
        done = penstock("bound", DATA / "demo.toml", "--set", "site.peu=1")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("pue", done.stderr)
        self.assertEqual(penstock("bound", "nowhere.toml").returncode, 2)


class Inspect(unittest.TestCase):
    def facts(self, *arguments):
        done = penstock("trace", "inspect", *arguments, "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def test_guesses_the_format_of_every_sample(self):
        for name, format in TRACES.items():
            with self.subTest(name=name):
                facts = self.facts(DATA / name, "--lenient")
                self.assertEqual(facts["report"]["format"], format)
                self.assertGreater(facts["jobs"], 0)

    def test_every_sample_is_a_trace_known_here_or_another_series(self):
        samples = [path.name for pattern in ("*.gz", "*.json") for path in DATA.glob(pattern)]
        self.assertEqual([name for name in samples if name not in TRACES and not OTHER_SERIES.match(name)], [])

    def test_tells_the_load_on_a_given_cluster(self):
        facts = self.facts(DATA / "philly-sample.csv.gz", "--gpus", 128, "--gpus-per-node", 8)
        self.assertEqual((facts["cluster_gpus"], facts["gpus_per_node"], facts["never_fit"]), (128, 8, 0))
        self.assertAlmostEqual(facts["offered_load"], facts["gpu_hours"] * 3600 / facts["span_s"] / 128)

    def test_tells_which_rows_are_bad(self):
        facts = self.facts(DATA / "chronus.csv.gz", "--lenient")["report"]
        self.assertEqual(facts["rows_read"], facts["rows_kept"] + 12)

    def test_text_goes_to_stdout_and_commentary_to_stderr(self):
        sample = DATA / "philly-sample.csv.gz"
        done = penstock("trace", "inspect", sample)
        self.assertTrue(done.stdout.startswith(f"trace             {sample}\nformat            philly\n"))
        self.assertEqual(done.stderr, f"{sample}: taken as philly: it has 'timestamp,duration,num_gpus' near its beginning\n")


class Convert(unittest.TestCase):
    def test_keeps_jobs_and_work_in_both_formats(self):
        for name, format in TRACES.items():
            for to in ("csv", "swf"):
                with self.subTest(name=name, to=to), tempfile.TemporaryDirectory() as folder:
                    out = pathlib.Path(folder) / f"converted.{to}"
                    done = penstock("trace", "convert", DATA / name, "--format", format, "--lenient", "--to", to, "--out", out)
                    self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)
                    before = json.loads(penstock("trace", "inspect", DATA / name, "--lenient", "--json").stdout)
                    after = json.loads(penstock("trace", "inspect", out, "--json").stdout)  # guesses the format
                    self.assertEqual(after["report"]["format"], to)
                    self.assertEqual(after["jobs"], before["jobs"])
                    half_a_second_each = 0 if to == "csv" else 0.5 / 3600 * sum(s["gpus"] * s["jobs"] for s in before["sizes"])
                    self.assertAlmostEqual(after["gpu_hours"], before["gpu_hours"], delta=half_a_second_each + 1e-6)

    def test_our_csv_is_a_fixed_point(self):
        with tempfile.TemporaryDirectory() as folder:
            first = penstock("trace", "convert", DATA / "eagle.swf.gz", "--to", "csv").stdout
            (pathlib.Path(folder) / "first.csv.gz").write_bytes(gzip.compress(first.encode()))
            self.assertEqual(penstock("trace", "convert", "first.csv.gz", "--to", "csv", cwd=folder).stdout, first)


class Generate(unittest.TestCase):
    def test_the_same_seed_makes_the_same_trace_and_another_another(self):
        one, same, other = (penstock("trace", "generate", "--jobs", 50, "--seed", seed).stdout for seed in (1, 1, 2))
        self.assertEqual(len(one.splitlines()), 51)
        self.assertEqual(one, same)
        self.assertNotEqual(one, other)

    def test_makes_what_a_scenario_can_run(self):
        with tempfile.TemporaryDirectory() as folder:
            made = penstock("trace", "generate", "--jobs", 20, "--sizes", "1:0.5,4:0.5", "--deadline-slack", "1.5,3",
                            "--request-factor", 2, "--like", DATA / "philly-sample.csv.gz", "--out", "made.csv", cwd=folder)
            self.assertEqual((made.returncode, made.stdout, made.stderr), (0, "", ""))
            (pathlib.Path(folder) / "s.toml").write_text(
                '[workload]\ntrace = "made.csv"\nformat = "csv"\n[[site]]\nname = "lab"\n[[site.nodes]]\ngpus = 4\ngpu = "a100"\n')
            done = penstock("simulate", "s.toml", "--json", cwd=folder)
            self.assertEqual(json.loads(done.stdout)["runs"][0]["jobs_finished"], 20, done.stderr)


class Streams(unittest.TestCase):
    def test_the_table_goes_to_stdout_and_notes_to_stderr(self):
        done = penstock("simulate", DATA / "scenarios/gavel-physical.toml", "--no-progress")
        self.assertTrue(done.stdout.startswith("policy "))
        self.assertNotIn("note:", done.stdout)
        self.assertTrue(done.stderr.startswith("note: ") and done.stderr.count("\n") == 1, done.stderr)

    def test_a_run_that_leaves_jobs_or_exceeds_its_budget_is_warned_of(self):
        scenario = DATA / "studies/powerflow/elasticflow.toml"
        for if_short, warning in (("stop", "left [1-9][0-9]* of 100 jobs unfinished"), ("finish", "used [0-9.]+ % more energy than")):
            done = penstock("simulate", scenario, "--no-progress", "--set", "workload.limit=100",
                            "--policy", f"afs,powerflow:energy_budget=2 MWh:if_short={if_short}")
            self.assertRegex(done.stderr, f"(?m)^warning: powerflow .*{warning}")
            self.assertEqual("unfinished" in done.stdout, if_short == "stop", done.stdout)

    def test_without_a_terminal_there_are_no_colours_and_no_bar(self):
        done = penstock("simulate", DATA / "demo.toml", "--policy", "fifo,las")
        self.assertNotIn("\033", done.stdout + done.stderr)
        self.assertNotIn("\r", done.stdout + done.stderr)

    def test_a_reader_that_leaves_early_is_no_accident(self):
        for words in (["policies"], ["trace", "generate", "--jobs", "20000"], ["--help"], ["trace", "convert", DATA / "pai.csv.gz"]):
            with self.subTest(words=words):
                done = subprocess.Popen([PROGRAM, *map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                        restore_signals=True)
                os.read(done.stdout.fileno(), 1)
                done.stdout.close()
                complaint = done.stderr.read().decode()
                done.stderr.close()
                self.assertIn(done.wait(60), (0, -13), complaint)  # -13: ended by SIGPIPE, as head's victims are
                self.assertNotRegex(complaint, "(?i)terminate|abort|exception|sanitizer")

    def test_a_full_disk_is_told(self):
        with open("/dev/full", "w") as full:
            done = subprocess.run([PROGRAM, "trace", "generate"], stdout=full, stderr=subprocess.PIPE, text=True, timeout=60)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("cannot write", done.stderr)


if __name__ == "__main__":
    main()
