#!/usr/bin/env python3
"""Utilities of summary.json, worked out once more from the other files of a run."""
import csv
import json
import pathlib
import random
import tempfile
import unittest

from program import DATA, main, penstock

# Everything happens at whole seconds, so a row of timeline.csv for each second misses nothing: files are sent at a second
# a gigabyte, nodes sleep after ten minutes and wake in 90 s, and PUE is fixed.
WORLD = """
name = "recount"
[workload]
trace = "jobs.csv"
format = "csv"
[workload.origins]
weights = { frankfurt = 0.7, paris = 0.3 }
files   = "40 GB"
slack   = [1.1, 1.1]
[network]
energy = "0.06 kWh/GB"
fee    = "0.02 EUR/GB"
link   = [{ from = "frankfurt", to = "paris", throughput = "8000 Mbps", round_trip = "1 s" }]
[[site]]
name   = "frankfurt"
pue    = 1.3
price  = { file = "DATA/price-de.csv.gz", column = "price_eur_per_mwh", unit = "EUR/MWh" }
carbon = { file = "DATA/carbon-de.csv.gz", column = "ci_lifecycle_g_per_kwh", unit = "g/kWh" }
nodes  = [{ count = 2, gpus = 4, gpu = "v100" }]
[[site]]
name   = "paris"
pue    = 1.2
price  = { file = "DATA/price-fr.csv.gz", column = "price_eur_per_mwh", unit = "EUR/MWh" }
carbon = { file = "DATA/carbon-fr.csv.gz", column = "ci_lifecycle_g_per_kwh", unit = "g/kWh" }
nodes  = [{ count = 2, gpus = 4, gpu = "v100" }]
[costs]
currency   = "EUR"
node_sleep = { after = "10 min", wake = "90 s" }
[utility]
cost   = 0.6
carbon = 0.4
"""
WEIGHTS = {"cost": 0.6, "carbon": 0.4, "transfer": 0.1, "late": 1}
GPUS = 16
KWH_A_GB = 0.06
PRECISE = 6  # decimals


def jobs_text():
    """Sixty jobs in half a day, from a Monday in 2021 on; some must wait, and then some are late."""
    chance = random.Random(7)
    lines = ["submitted,gpus,actual_s,requested_s"]
    second = 0
    for _ in range(60):
        second += chance.randint(60, 1400)
        run = chance.randint(600, 9000)
        stamp = f"2021-07-12T{second // 3600:02}:{second // 60 % 60:02}:{second % 60:02}Z"
        lines.append(f"{stamp},{chance.choice([1, 1, 2, 4])},{run},{run}")
    return "\n".join(lines) + "\n"


def rows(path):
    with open(path, encoding="utf-8") as file:
        return list(csv.DictReader(file))


class Recount:
    """One run's terms, from jobs.csv, timeline.csv and decisions.jsonl alone."""

    def __init__(self, folder):
        self.jobs = rows(folder / "jobs.csv")
        self.by_site = {}
        for row in rows(folder / "timeline.csv"):
            self.by_site.setdefault(row["site"], []).append(row)
        self.routes = [(json.loads(line)["time_s"], action)
                       for line in (folder / "decisions.jsonl").read_text().splitlines()
                       for action in json.loads(line)["actions"] if action["do"] == "route"]

    def over_time(self, rate):
        """Power times a rate: a row shows what was drawn until then, and the rate from then on."""
        total = 0
        for site in self.by_site.values():
            for before, after in zip(site, site[1:]):
                hours = (float(after["time_s"]) - float(before["time_s"])) / 3600
                total += float(after["power_w"]) / 1000 * hours * float(before[rate])
        return total

    def cost(self):
        return self.over_time("price")

    def sent(self, rate):
        """The energy of sending, at a rate of the sender at that moment."""
        size = {int(job["job_id"]): float(job["transfer_gb"]) for job in self.jobs}
        total = 0
        for second, action in self.routes:
            if action["from"] == action["to"]:
                continue
            row = self.by_site[action["from"]][int(second)]
            total += size[action["job"]] * KWH_A_GB * float(row[rate])
        return total

    def carbon(self):
        return (self.over_time("carbon_g_per_kwh") + self.sent("carbon_g_per_kwh")) / 1000

    def transfer_cost(self):
        return self.sent("price") + sum(0.02 * float(job["transfer_gb"]) for job in self.jobs)

    def utilization(self):
        busy = sum(int(job["requested_number_of_resources"]) * float(job["execution_time"]) for job in self.jobs)
        first = min(float(job["submission_time"]) for job in self.jobs)
        return busy / GPUS / (max(float(job["finish_time"]) for job in self.jobs) - first)

    def late_share(self):
        return sum(float(job["finish_time"]) > float(job["deadline"]) for job in self.jobs) / len(self.jobs)

    def utility(self, local):
        return (self.utilization() - WEIGHTS["cost"] * self.cost() / local.cost() - WEIGHTS["carbon"] * self.carbon() / local.carbon()
                - WEIGHTS["transfer"] * self.transfer_cost() / local.cost() - WEIGHTS["late"] * self.late_share())


class Utility(unittest.TestCase):
    def test_is_what_the_files_of_the_run_add_up_to(self):
        routers = ["local", "round-robin", "cheapest", "mpc"]
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "world.toml").write_text(WORLD.replace("DATA", str(DATA)))
            (folder / "jobs.csv").write_text(jobs_text())
            done = penstock("simulate", folder / "world.toml", "--policy", ",".join(f"geo:router={router}" for router in routers),
                            "--timeline", "1 s", "--log-decisions", "--out", folder / "out", "--no-progress")
            self.assertEqual(done.returncode, 0, done.stderr)
            runs = {run["options"]["router"]: run for run in json.loads((folder / "out/summary.json").read_text())["runs"]}
            counts = {router: Recount(folder / f"out/geo-router={router}") for router in routers}
        local = counts["local"]
        for router, count in counts.items():
            run = runs[router]
            for name, ours in (("energy_cost", count.cost()), ("carbon_kg", count.carbon()), ("transfer_cost", count.transfer_cost()),
                               ("gpu_utilization", count.utilization()), ("late_share", count.late_share()),
                               ("utility", count.utility(local))):
                self.assertAlmostEqual(ours, run[name], PRECISE, f"{name} of {router}")
        self.assertGreater(runs["round-robin"]["transfer_cost"], 0)
        self.assertGreater(runs["local"]["late_share"], 0)
        self.assertGreater(runs["local"]["node_sleeps"], 0)


if __name__ == "__main__":
    main()
