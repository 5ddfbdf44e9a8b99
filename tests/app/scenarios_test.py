#!/usr/bin/env python3
"""Every scenario that we ship runs, and what it writes is what docs/formats/output.md promises."""
import csv
import json
import math
import pathlib
import re
import tempfile
import unittest

from program import DATA, SCENARIOS, main, penstock

RUN_FIELDS = """policy options jobs_submitted jobs_finished jct_mean_s jct_p50_s jct_p95_s jct_p99_s wait_mean_s
    bounded_slowdown_mean makespan_s gpu_utilization energy_kwh energy_idle_kwh energy_cost carbon_kg tardiness_mean_s
    tardiness_cost deadline_misses transfer_cost total_cost utility preemptions resizes migrations node_sleeps decisions
    decision_mean_us decision_p99_us events wall_s jobs_per_s peak_rss_mb sites""".split()
WALL_CLOCK = ["decision_mean_us", "decision_p99_us", "wall_s", "jobs_per_s", "peak_rss_mb"]
JOBS_HEAD = ("job_id,workload_name,profile,submission_time,requested_number_of_resources,requested_time,success,final_state,"
             "starting_time,execution_time,finish_time,waiting_time,turnaround_time,stretch,allocated_resources,consumed_energy,"
             "metadata,site,gpus_mean,clock_mean_mhz,energy_kwh,energy_cost,carbon_kg,deadline,tardiness_s,tardiness_cost,restarts,rent_cost,predicted_cost,home,transfers,transfer_gb,transfer_cost")
TIMELINE_HEAD = "time_s,site,busy_gpus,idle_gpus,sleeping_nodes,queued_jobs,running_jobs,power_w,price,carbon_g_per_kwh,cap_w"
STRETCHES_HEAD = "job_id,from_s,to_s,site,allocated_resources,clock_mhz,batch,ended_by"
INTERVALS = re.compile(r"\d+(-\d+)?( \d+(-\d+)?)*")
SMALL = DATA / "scenarios/batsim.toml"


def simulate(scenario, out, *more):
    """The finished process of a run that went well and left `out` behind."""
    done = penstock("simulate", scenario, "--out", out, "--json", "--no-progress", *more)
    if done.returncode != 0:
        raise AssertionError(f"{scenario.name} {more}: exit {done.returncode}: {done.stderr}")
    return done


def summary(scenario, *more):
    with tempfile.TemporaryDirectory() as folder:
        return json.loads(simulate(scenario, pathlib.Path(folder) / "out", *more).stdout)


def without_wall_clock(whole):
    return {**whole, "runs": [{k: v for k, v in run.items() if k not in WALL_CLOCK} for run in whole["runs"]]}


def run_folders(out, runs):
    """One for each run, in the order of the runs' names."""
    folders = [out] if len(runs) == 1 else sorted(path for path in out.iterdir() if path.is_dir())
    assert len(folders) == len(runs), f"{len(runs)} runs, but {[f.name for f in folders]}"
    return folders


def numbers(value):
    """Every number in it, however deep."""
    if isinstance(value, (dict, list)):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from numbers(inner)
    elif isinstance(value, (int, float)):
        yield value


def gpu_count(intervals):
    ends = [part.split("-") for part in intervals.split()]
    return sum(int(end[-1]) - int(end[0]) + 1 for end in ends)


class EveryScenario(unittest.TestCase):
    """Each is run once, before the tests; all look at the same output."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.outs = {s: pathlib.Path(cls.folder.name) / s.stem for s in SCENARIOS}
        cls.printed = {s: simulate(s, out, "--jobs", "2").stdout for s, out in cls.outs.items()}
        cls.runs = {s: json.loads(text)["runs"] for s, text in cls.printed.items()}

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def each_run_folder(self):
        for scenario, out in self.outs.items():
            yield from run_folders(out, self.runs[scenario])

    def each_job(self):
        for folder in self.each_run_folder():
            with open(folder / "jobs.csv", newline="") as file:
                yield from csv.DictReader(file)

    def test_there_are_more_than_ten(self):
        self.assertGreater(len(SCENARIOS), 10)

    def test_is_valid(self):
        for scenario in SCENARIOS:
            with self.subTest(scenario=scenario.stem):
                done = penstock("validate", scenario)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertIn(f"{scenario}: fine: ", done.stdout)

    def test_finishes_every_job(self):
        for scenario, runs in self.runs.items():
            for run in runs:
                with self.subTest(scenario=scenario.stem, policy=run["policy"]):
                    self.assertGreater(run["jobs_submitted"], 0)
                    self.assertEqual(run["jobs_finished"], run["jobs_submitted"])

    def test_prints_the_summary_that_it_writes(self):
        for scenario, out in self.outs.items():
            self.assertEqual(self.printed[scenario], (out / "summary.json").read_text(), scenario.stem)

    def test_has_every_field_of_the_contract_as_a_finite_number_or_null(self):
        for scenario, text in self.printed.items():
            with self.subTest(scenario=scenario.stem):
                whole = json.loads(text, parse_constant=lambda word: self.fail(f"{word} is not JSON"))
                self.assertLessEqual({"version", "scenario", "scenario_hash", "seed", "definitions", "runs"}, set(whole))
                self.assertTrue(all(map(math.isfinite, numbers(whole))))
                for run in whole["runs"]:
                    self.assertEqual([field for field in RUN_FIELDS if field not in run], [])
                    undefined = set(run) - set(whole["definitions"]) - {"policy", "options", "dir", "time_origin", "sites"}
                    self.assertEqual(undefined, set())

    def test_has_the_documented_columns(self):
        for folder in self.each_run_folder():
            self.assertEqual((folder / "jobs.csv").read_text().splitlines()[0], JOBS_HEAD, folder)
            self.assertEqual((folder / "timeline.csv").read_text().splitlines()[0], TIMELINE_HEAD, folder)
            self.assertEqual((folder / "stretches.csv").read_text().splitlines()[0], STRETCHES_HEAD, folder)
            self.assertEqual((folder / "reasons.csv").read_text().splitlines()[0], "time_s,reason", folder)

    def test_has_one_row_for_each_job(self):
        for scenario, out in self.outs.items():
            for folder in run_folders(out, self.runs[scenario]):
                with open(folder / "jobs.csv", newline="") as file:
                    ids = [row["job_id"] for row in csv.DictReader(file)]
                self.assertEqual(len(ids), self.runs[scenario][0]["jobs_finished"], folder)
                self.assertEqual(len(set(ids)), len(ids), folder)

    def test_no_job_starts_before_its_submission_or_ends_before_its_start(self):
        for job in self.each_job():
            submitted, start, finish = (float(job[k]) for k in ("submission_time", "starting_time", "finish_time"))
            self.assertTrue(0 <= submitted <= start <= finish, job)
            self.assertAlmostEqual(float(job["waiting_time"]), start - submitted, places=3)
            self.assertAlmostEqual(float(job["turnaround_time"]), finish - submitted, places=3)

    def test_gpus_are_an_interval_set(self):
        for job in self.each_job():
            self.assertTrue(INTERVALS.fullmatch(job["allocated_resources"]), job)

    def test_rigid_jobs_have_as_many_gpus_as_they_asked_for(self):
        for scenario, out in self.outs.items():
            if re.search(r'profiles|format\s*=\s*"andreas"', scenario.read_text()):
                continue  # jobs that scale may have more or fewer
            for folder in run_folders(out, self.runs[scenario]):
                with open(folder / "jobs.csv", newline="") as file:
                    for job in csv.DictReader(file):
                        self.assertEqual(gpu_count(job["allocated_resources"]), int(job["requested_number_of_resources"]), job)

    def test_energy_of_the_jobs_adds_up_to_that_of_the_sites(self):
        for scenario, out in self.outs.items():
            by_rows, by_sites = [], []
            for folder in run_folders(out, self.runs[scenario]):
                with open(folder / "jobs.csv", newline="") as file:
                    by_rows.append(math.fsum(float(row["energy_kwh"]) for row in csv.DictReader(file)))
            for run in self.runs[scenario]:
                by_sites.append(math.fsum(site["energy_jobs_kwh"] for site in run["sites"]))
                parts = [site["energy_jobs_kwh"] + site["energy_idle_kwh"] + site["energy_overhead_kwh"] + site["transfer_kwh"] for site in run["sites"]]
                self.assertTrue(math.isclose(math.fsum(parts), run["energy_kwh"], rel_tol=1e-9), scenario.stem)
            for rows, sites in zip(sorted(by_rows), sorted(by_sites)):  # folders and runs are in different orders
                self.assertTrue(math.isclose(rows, sites, rel_tol=1e-6), f"{scenario.stem}: {rows} and {sites} kWh")

    def test_gives_the_same_files_twice_on_one_thread_as_on_two(self):
        for scenario, out in self.outs.items():
            with self.subTest(scenario=scenario.stem):
                again = out.with_name(out.name + "-again")
                whole = json.loads(simulate(scenario, again, "--jobs", "1").stdout)
                self.assertEqual(without_wall_clock(whole), without_wall_clock(json.loads(self.printed[scenario])))
                for folder in run_folders(out, self.runs[scenario]):
                    for name in ("jobs.csv", "stretches.csv", "timeline.csv", "reasons.csv"):
                        twin = again / folder.relative_to(out) / name
                        self.assertEqual(twin.read_bytes(), (folder / name).read_bytes(), f"{folder.name}/{name}")


class Learning(unittest.TestCase):
    """Where jobs scale otherwise than the catalogue says."""
    NOISY = DATA / "scenarios/noisy-models.toml"

    def mean_jct(self, policy, *more):
        runs = [summary(self.NOISY, "--policy", policy, "--seed", seed, *more)["runs"][0] for seed in (1, 2, 3)]
        return sum(run["jct_mean_s"] for run in runs) / len(runs)

    def test_is_worth_it_for_a_policy_that_goes_by_speeds(self):
        catalogue = ("--set", "workload.belief=catalogue")
        never = self.mean_jct("afs", *catalogue, "--set", "workload.refit=never")
        self.assertLess(self.mean_jct("afs", *catalogue), never)
        self.assertLess(self.mean_jct("afs"), never)

    def test_changes_nothing_where_the_catalogue_is_right(self):
        exact = ("--policy", "powerflow", "--set", "workload.belief=catalogue", "--set", 'workload.truth={kind="exact"}')
        runs = [without_wall_clock(summary(self.NOISY, *exact, "--set", f"workload.refit={refit}"))["runs"]
                for refit in ("never", "online")]
        self.assertEqual(runs[0], runs[1])

    def test_lets_costs_be_predicted_within_five_percent_under_ten_percent_noise(self):
        noisy = ("--set", 'workload.truth={ kind = "noisy", spread = 0.1, jobs = 0.1 }', "--policy", "fifo,powerflow")
        for seed in (4, 5):
            online, never = (summary(DATA / "scenarios/andreas.toml", *noisy, "--seed", seed, "--set", f"workload.refit={refit}")["runs"]
                             for refit in ("online", "never"))
            for learnt, kept in zip(online, never):
                self.assertLess(learnt["prediction_error"], 0.05)
                self.assertLess(learnt["prediction_error"], kept["prediction_error"])
                self.assertLess(learnt["prediction_error_job_mean"], kept["prediction_error_job_mean"])

    def test_has_nothing_to_add_to_predictions_that_are_exact(self):
        for run in summary(DATA / "scenarios/andreas.toml", "--policy", "edf,powerflow")["runs"]:
            self.assertGreater(run["predicted_cost"], 0)
            self.assertLess(run["prediction_error_job_mean"], 1e-9)


class Options(unittest.TestCase):
    def test_another_seed_makes_other_jobs_and_other_failures(self):
        for name in ("generated", "failures"):
            scenario = DATA / f"scenarios/{name}.toml"
            seven, eight = summary(scenario, "--policy", "fifo"), summary(scenario, "--policy", "fifo", "--seed", 8)
            self.assertEqual((seven["seed"], eight["seed"]), (7, 8))
            self.assertNotEqual(seven["runs"][0]["jct_mean_s"], eight["runs"][0]["jct_mean_s"], name)

    def test_another_seed_changes_nothing_where_nothing_is_drawn(self):
        runs = [without_wall_clock(summary(SMALL, "--seed", seed))["runs"] for seed in (1, 2)]
        self.assertEqual(runs[0], runs[1])

    def test_set_changes_a_key(self):
        dear = summary(DATA / "demo.toml", "--policy", "fifo")
        cheap = summary(DATA / "demo.toml", "--policy", "fifo", "--set", "site.pue=1.0")
        self.assertAlmostEqual(cheap["runs"][0]["energy_kwh"] * 1.3, dear["runs"][0]["energy_kwh"], places=3)
        self.assertNotEqual(cheap["scenario_hash"], dear["scenario_hash"])

    def test_policy_replaces_those_of_the_scenario(self):
        whole = summary(SMALL, "--policy", "sjf,las:quantum=2 h:backfill=easy")
        self.assertEqual([(run["policy"], run["options"]) for run in whole["runs"]],
                         [("sjf", {}), ("las", {"backfill": "easy", "quantum": "2 h"})])

    def test_log_decisions_writes_lines_of_json_that_start_every_job(self):
        with tempfile.TemporaryDirectory() as folder:
            out = pathlib.Path(folder) / "out"
            simulate(SMALL, out, "--policy", "fifo", "--log-decisions")
            decisions = [json.loads(line) for line in (out / "decisions.jsonl").read_text().splitlines()]
            started = [a["name"] for d in decisions for a in d["actions"] if a["do"] == "start"]
            with open(out / "jobs.csv", newline="") as file:
                self.assertEqual(sorted(started), sorted(row["job_id"] for row in csv.DictReader(file)))

    def test_a_sweep_runs_every_combination(self):
        with tempfile.TemporaryDirectory() as folder:
            scenario = pathlib.Path(folder) / "sweep.toml"
            text = SMALL.read_text().replace("../batsim", str(DATA / "batsim"))
            scenario.write_text(text + '[sweep]\n"site.pue" = [1.0, 1.5]\n"policy.place" = ["first-fit", "buddy"]\n')
            whole = json.loads(simulate(scenario, pathlib.Path(folder) / "out").stdout)
            self.assertEqual(len(whole["runs"]), 8)  # two policies, as in the scenario, four times
            self.assertEqual(len(run_folders(pathlib.Path(folder) / "out", whole["runs"])), 8)
            kinds = {(run["options"]["site.pue"], run["options"]["place"]) for run in whole["runs"]}
            self.assertEqual(len(kinds), 4)
            energies = [run["energy_kwh"] for run in whole["runs"]]
            self.assertAlmostEqual(max(energies), 1.5 * min(energies), places=6)

    def test_a_sweep_reaches_the_policies_of_the_command_line(self):
        with tempfile.TemporaryDirectory() as folder:
            scenario = pathlib.Path(folder) / "sweep.toml"
            text = SMALL.read_text().replace("../batsim", str(DATA / "batsim"))
            scenario.write_text(text + '[sweep]\n"policy.backfill" = ["none", "easy"]\n')
            done = simulate(scenario, pathlib.Path(folder) / "out", "--policy", "fifo,sjf:backfill=3", "--set", "policy.place=buddy")
            options = [(run["policy"], run["options"]) for run in json.loads(done.stdout)["runs"]]
            self.assertEqual(options, [("fifo", {"backfill": "none", "place": "buddy"}), ("sjf", {"backfill": "3", "place": "buddy"}),
                                       ("fifo", {"backfill": "easy", "place": "buddy"}), ("sjf", {"backfill": "3", "place": "buddy"})])

    def test_a_foreign_file_beside_earlier_results_is_not_lost(self):
        with tempfile.TemporaryDirectory() as folder:
            out = pathlib.Path(folder) / "out"
            simulate(SMALL, out, "--policy", "fifo")
            (out / "notes.txt").write_text("mine")
            done = penstock("simulate", SMALL, "--policy", "fifo", "--out", out, "--no-progress")
            self.assertEqual(done.returncode, 2)
            self.assertIn("it holds 'notes.txt' beside earlier results", done.stderr)
            self.assertEqual((out / "notes.txt").read_text(), "mine")

    def test_children_of_dropped_jobs_wait_for_their_grandparents(self):
        with tempfile.TemporaryDirectory() as folder:
            task = lambda name, parents: {"name": name, "id": name, "parents": parents, "children": []}
            run = lambda name, cores: {"id": name, "runtimeInSeconds": 100, "coreCount": cores}
            flow = {"name": "f", "schemaVersion": "1.5", "workflow": {
                "specification": {"tasks": [task("a", []), task("b", ["a"]), task("c", ["b"])], "files": []},
                "execution": {"makespanInSeconds": 300, "executedAt": "2023-01-01T00:00:00Z",
                              "tasks": [run("a", 1), run("b", 64), run("c", 1)], "machines": []}}}
            (pathlib.Path(folder) / "flow.json").write_text(json.dumps(flow))
            (pathlib.Path(folder) / "s.toml").write_text(
                'name = "f"\n[workload]\ntrace = "flow.json"\nformat = "wfformat"\noversized = "drop"\n'
                '[[site]]\nname = "here"\n[[site.nodes]]\ncount = 1\ngpus = 4\ngpu = "cpu-core"\n')
            done = penstock("simulate", "s.toml", "--policy", "fifo", "--json", "--no-progress", cwd=folder)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(json.loads(done.stdout)["runs"][0]["makespan_s"], 200)

    def test_an_earlier_result_is_replaced_as_a_whole(self):
        with tempfile.TemporaryDirectory() as folder:
            out = pathlib.Path(folder) / "out"
            simulate(SMALL, out, "--policy", "fifo", "--log-decisions")
            simulate(SMALL, out, "--policy", "fifo")
            self.assertEqual(sorted(path.name for path in out.iterdir()), ["jobs.csv", "reasons.csv", "report.html", "stretches.csv", "summary.json", "timeline.csv"])
            self.assertEqual([path.name for path in pathlib.Path(folder).iterdir()], ["out"])


if __name__ == "__main__":
    main()
