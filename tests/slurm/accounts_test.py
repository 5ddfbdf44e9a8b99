#!/usr/bin/env python3
"""What Slurm's own record of its jobs says, against the journal, under three policies; without a hook, so that ends are
found by polls. accounts_test.py [FOLDER OF THE PROGRAMS]"""
import json
import pathlib
import random
import re
import tempfile
import time
import unittest

import bridge
import patient
from daemon import Daemon
from slurm_cluster import Cluster, wait_for

bridge.require()
EXAMPLES = bridge.ROOT / "share/examples"


def setUpModule():
    global cluster
    cluster = Cluster("east", lua=bridge.LUA, files={"penstock_partitions.conf": "main\n"}).up()


def tearDownModule():
    cluster.down()


def records():
    """The lines of jobcomp/filetxt, by job: one for each run that ended or was requeued."""
    found = {}
    for line in (cluster.folder / "log/jobcomp.log").read_text().splitlines():
        fields = dict(re.findall(r"(\w+)=(\S*)", line))
        found.setdefault(int(fields["JobId"]), []).append(fields)
    return found


def milliseconds(text):
    """Slurm writes the local time of slurmctld."""
    return int(time.mktime(time.strptime(text, "%Y-%m-%dT%H:%M:%S"))) * 1000


class Accounts(unittest.TestCase):
    def compare(self, policy, **options):
        chance = random.Random(3)
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "types.json").write_text(json.dumps({node: cluster.kind_of(node)[0] for node in cluster.nodes}))
            more = f'[workload]\nprofiles = "{EXAMPLES / "models.toml"}"\n[costs]\nrestart = "2 s"\n'
            with Daemon(folder, [(cluster, "")], policy, more=more, **options) as daemon:
                jobs = [self.submit(folder, chance, i) for i in range(12)]
                cluster.run("scancel", jobs[-1])
                wait_for(lambda: {int(ref) for _, ref in daemon.ended()} >= set(jobs[:-1]), "all jobs end", 120)
                ended = {int(ref): detail for (_, ref), detail in daemon.ended().items()}
            for job in jobs[:-1]:
                self.compare_job(ended[job], records()[job])

    def submit(self, folder, chance, i):
        common = ["sbatch", "--parsable", "-o", "/dev/null", "-D", folder]
        if i % 3 == 0:  # knows nothing of us, and may fail
            script = f"sleep {chance.uniform(0.2, 3):.1f}; exit {i % 2}"
            return int(cluster.run(*common, f"--gres=gpu:{chance.choice([1, 2, 4])}", "--wrap", script))
        work = chance.randrange(100, 400)
        return int(cluster.run(
            *common, "--open-mode=append", "--gres=gpu:1", "--comment", f"penstock: profile=example-sgd work={work} gpus=1-4 deadline=1min", "--wrap",
            f"exec python3 {EXAMPLES}/elastic_trainer.py --models {EXAMPLES}/models.toml --model example-sgd --types types.json --work {work}"))

    def compare_job(self, detail, lines):
        """The last record is that of the last run; those before it, of runs that were stopped."""
        last, run = lines[-1], detail["runs"][-1]
        self.assertEqual(detail["state"].upper(), last["JobState"], detail)
        self.assertEqual(run["started_ms"], milliseconds(last["StartTime"]), detail)
        self.assertEqual(run["ended_ms"], milliseconds(last["EndTime"]), detail)
        names = cluster.run("scontrol", "show", "hostnames", last["NodeList"]).split("\n")
        self.assertEqual(sorted(run["nodes"]), sorted(names), detail)
        self.assertEqual([part["started_ms"] for part in detail["runs"]], [milliseconds(line["StartTime"]) for line in lines], detail)

    def test_fifo(self):
        self.compare('name = "fifo"')

    def test_powerflow(self):
        self.compare('name = "powerflow"')

    def test_andreas(self):
        self.compare('name = "andreas"', slurm="tardiness_per_hour = 100.0")


if __name__ == "__main__":
    patient.main()
