"""Journals as `penstock serve` writes them, made of simulated runs or by hand."""
import csv
import json
import pathlib
import re
import sqlite3

SCHEMA = """
CREATE TABLE entries(id INTEGER PRIMARY KEY, when_ms INTEGER NOT NULL, site TEXT NOT NULL, job INTEGER, what TEXT NOT NULL, detail TEXT NOT NULL) STRICT;
CREATE TABLE requests(id INTEGER PRIMARY KEY, when_ms INTEGER NOT NULL, site TEXT NOT NULL, job INTEGER, verb TEXT NOT NULL, detail TEXT NOT NULL,
  reason TEXT NOT NULL, state TEXT NOT NULL, answer TEXT NOT NULL, answered_ms INTEGER) STRICT;
PRAGMA user_version = 1;
"""
JOB = {"ref": "1", "name": "", "user": "alice", "account": "", "partition": "main", "comment": "", "state": "completed", "submitted_ms": 0, "gpus": 1,
       "gpu_type": None, "time_limit_s": None, "kind": "", "work": None, "batch": None, "deadline_ms": None, "priority": None, "least": None,
       "most": None, "pinned": False, "runs": [], "energy_j": 0, "cost": 0, "carbon_g": 0, "predicted_cost": None}


class Journal:
    def __init__(self, path):
        self.database = sqlite3.connect(path)
        self.database.executescript(SCHEMA)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.database.commit()
        self.database.close()

    def write(self, what, detail, when_ms=0, site="east", job=None):
        text = detail if isinstance(detail, str) else json.dumps(detail)
        self.database.execute("INSERT INTO entries(when_ms, site, job, what, detail) VALUES(?, ?, ?, ?, ?)", (when_ms, site, job, what, text))

    def began(self, scenario, mode="live", policy="fifo", options=None, when_ms=0):
        self.write("began", {"version": "0.1.0", "mode": mode, "policy": policy, "options": options or {}, "scenario": scenario}, when_ms)

    def ended(self, job, site="east"):
        when = job["runs"][-1]["ended_ms"] if job["runs"] else job["submitted_ms"]
        self.write("ended", {**JOB, **job}, when, site, int(job["ref"]))


def run_of(started_ms, ended_ms, gpus=1, **more):
    return {"started_ms": started_ms, "ended_ms": ended_ms, "gpus": gpus, "nodes": ["n1"], "type": "a100", "clock_mhz": 0, "done": None, **more}


def fixed_batches(catalogue):
    """The same models with the usual batch only: a live job keeps the batch that it asked for."""
    return re.sub(r"batch = \{.*usual = ([\d.]+) \}", r"batch = { least = \1, most = \1, local_most = \1, usual = \1 }", catalogue)


def nodes_of(ranges, gpus_per_node):
    """A name for each node, different where other GPUs of it are used: a simulated job may move within a node."""
    held = {}
    for first, last in ranges:
        for gpu in range(first, last + 1):
            held.setdefault(gpu // gpus_per_node, []).append(str(gpu % gpus_per_node))
    return [f"n{node}.{''.join(gpus)}" for node, gpus in sorted(held.items())]


def stretches(folder, gpus_per_node, gpu, origin_ms):
    """By name of each job of a simulated run: the ways in which it ran, one after the other, the last without an end."""
    lives = {}
    for line in (folder / "decisions.jsonl").read_text().splitlines():
        decision = json.loads(line)
        now = origin_ms + round(1000 * decision["time_s"])
        for action in decision["actions"]:
            runs = lives.setdefault(action.get("name"), [])
            if action["do"] == "preempt" or (runs and runs[-1]["ended_ms"] is None and action["do"] in ("resize", "migrate", "set-clock", "set-batch")):
                runs[-1]["ended_ms"] = now
            if action["do"] in ("start", "resize", "migrate", "set-clock", "set-batch"):
                last = runs[-1] if runs else {"clock_mhz": 0, "batch": None}
                run = {**last, "started_ms": now, "ended_ms": None, "type": gpu, "done": None}
                if "gpus" in action:
                    run["gpus"] = sum(b - a + 1 for a, b in action["gpus"])
                    run["nodes"] = nodes_of(action["gpus"], gpus_per_node)
                run.update({key: action[key] for key in ("clock_mhz", "batch") if key in action})
                runs.append(run)
    return lives


def from_run(journal, folder, gpus_per_node, gpu, origin_ms=0, elastic=True):
    """Writes what a simulated run with --log-decisions did as if it had happened; returns each job's turnaround.
    `elastic`: they may have any number of GPUs."""
    folder = pathlib.Path(folder)
    lives = stretches(folder, gpus_per_node, gpu, origin_ms)
    turnarounds = {}
    rows = sorted(csv.DictReader((folder / "jobs.csv").read_text().splitlines()), key=lambda row: float(row["submission_time"]))  # stable
    for number, row in enumerate(rows):
        at = {key: origin_ms + round(1000 * float(row[key])) for key in ("submission_time", "finish_time")}
        runs = lives[row["job_id"]]
        runs[-1]["ended_ms"] = at["finish_time"]
        journal.ended({"ref": str(number), "name": row["job_id"], "submitted_ms": at["submission_time"],
                       "gpus": int(row["requested_number_of_resources"]), "time_limit_s": float(row["requested_time"]), "kind": row["profile"],
                       "least": 1 if elastic else None, "most": 1000 if elastic else None,
                       "deadline_ms": None if not row["deadline"] else origin_ms + round(1000 * float(row["deadline"])),
                       "runs": runs, "energy_j": 3.6e6 * float(row["energy_kwh"]), "cost": float(row["energy_cost"]),
                       "carbon_g": 1000 * float(row["carbon_kg"])})
        turnarounds[str(number)] = float(row["turnaround_time"])
    return turnarounds
