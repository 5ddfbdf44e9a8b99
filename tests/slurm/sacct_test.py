#!/usr/bin/env python3
"""With Slurm's accounting database: what sacct says equals the journal, its JSON is a trace, and an operator of Slurm's
accounts is enough to be the daemon. sacct_test.py [FOLDER OF THE PROGRAMS]"""
import json
import pathlib
import subprocess
import sys
import tempfile
import time
import unittest

import bridge
import patient
import slurm_database
from daemon import PENSTOCK, Daemon
from slurm_cluster import Cluster, wait_for

bridge.require()
if slurm_database.why_not():
    print(slurm_database.why_not())
    sys.exit(0)
OPERATOR, OTHER = "daemon", "nobody"


def setUpModule():
    global east
    east = Cluster("east", nodes=2, gpus=("a100:4",), jobcomp=bridge.HOOK, lua=bridge.LUA, files={"penstock_partitions.conf": "main\n"}, database=True).up()
    east.run("sacctmgr", "-i", "add", "account", "team", "cluster=east")
    for user, level in ((OPERATOR, "operator"), (OTHER, "none")):
        east.run("sacctmgr", "-i", "add", "user", user, "account=team", f"adminlevel={level}")


def tearDownModule():
    east.down()


def sbatch(seconds, gpus=1, code=0):
    done = subprocess.run(["sbatch", "--parsable", "-o", "/dev/null", f"--gres=gpu:{gpus}", "--comment", "penstock: priority=2", "--wrap",
                           f"sleep {seconds}; exit {code}"], env=east.environment, cwd="/", user=OTHER, extra_groups=[], capture_output=True, text=True, check=True)
    return int(done.stdout)


def milliseconds(text):
    """sacct writes local time."""
    return int(time.mktime(time.strptime(text, "%Y-%m-%dT%H:%M:%S"))) * 1000


class Database(unittest.TestCase):
    def setUp(self):
        there = tempfile.TemporaryDirectory()
        self.addCleanup(there.cleanup)
        self.folder = pathlib.Path(there.name)
        self.folder.chmod(0o755)

    def rows(self, jobs):
        """What sacct says, once it knows all ends."""
        def ask():
            text = east.run("sacct", "-a", "-P", "-X", "-n", "-j", ",".join(map(str, jobs)), "-o", "JobID,State,Start,End,NodeList,User,AllocTRES")
            rows = {int(line.split("|")[0]): line.split("|") for line in text.splitlines()}
            return rows if len(rows) == len(jobs) and all(row[3] != "Unknown" for row in rows.values()) else None
        return wait_for(ask, "sacct knows all ends")

    def test_what_sacct_says_is_what_the_journal_says_and_can_be_replayed(self):
        # An operator is no root, and not SlurmUser either.
        with Daemon(self.folder / "daemon", [(east, "")], user=OPERATOR) as daemon:
            jobs = [sbatch(seconds, gpus, code) for seconds, gpus, code in ((2, 4, 0), (1, 2, 3), (3, 4, 0), (0, 1, 0), (1, 4, 0), (1, 1, 0))]
            ended = dict(zip(jobs, daemon.wait_for_ends(*jobs)))
            verbs = {verb for verb in daemon.verbs()}
        self.assertIn("start", verbs)
        for job, row in self.rows(jobs).items():
            detail = ended[job]
            [run] = detail["runs"]
            self.assertEqual(detail["state"].upper(), row[1], detail)
            self.assertEqual((run["started_ms"], run["ended_ms"]), (milliseconds(row[2]), milliseconds(row[3])), detail)
            self.assertEqual((run["nodes"], detail["user"]), ([row[4]], row[5]))
            self.assertIn(f"gres/gpu={run['gpus']},", row[6] + ",")
        self.replay(jobs)

    def replay(self, jobs):
        """penstock trace inspect reads what this Slurm's sacct --json prints."""
        file = self.folder / "sacct.json"
        file.write_text(east.run("sacct", "-a", "--json", "-S", "now-1hours"))
        done = subprocess.run([PENSTOCK, "trace", "inspect", file, "--format", "sacct", "--gpus", "8", "--json"], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertGreaterEqual(json.loads(done.stdout)["jobs"], len(jobs) - 1, "one of them ran for no time")


if __name__ == "__main__":
    patient.main()
