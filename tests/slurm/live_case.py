"""What tests of the daemon over a real Slurm share: a cluster, and users' jobs on it."""
import pathlib
import tempfile
import unittest

import bridge
from daemon import Daemon
from slurm_cluster import Cluster, wait_for

bridge.require()
east = Cluster("east", nodes=2, gpus=("a100:4",), jobcomp=bridge.HOOK, lua=bridge.LUA, files={"penstock_partitions.conf": "main\n"},
               partitions=("main", "other"), conf="SlurmdTimeout=4")


def sbatch(*options, seconds=0, gpus=1):
    asked = [f"--gres=gpu:{gpus}"] if gpus else []
    return int(east.run("sbatch", "--parsable", "-o", "/dev/null", *asked, *options, "--wrap", f"sleep {seconds}", cwd="/"))


def state(job):
    return east.run("squeue", "-h", "-t", "all", "-j", job, "-o", "%T")


def is_held(job):
    return east.run("squeue", "-h", "-j", job, "-o", "%T %Q") == "PENDING 0"


def where(job):
    """The node on which it runs; empty if it does not."""
    return east.run("squeue", "-h", "-t", "running", "-j", job, "-o", "%N", check=False)


class Case(unittest.TestCase):
    """Has a folder; leaves no job behind."""

    def setUp(self):
        there = tempfile.TemporaryDirectory()
        self.addCleanup(there.cleanup)
        self.folder = pathlib.Path(there.name)
        self.addCleanup(east.run, "scancel", "-u", "root", check=False)

    def daemon(self, site="", **options):
        return Daemon(self.folder / "daemon", [(east, site)], **options)

    def holding(self, text):
        """What job_submit.lua reads, until the end of the test."""
        file = east.folder / "penstock_partitions.conf"
        self.addCleanup(file.write_text, "main\n")
        file.write_text(text)

    def wait_until_it_says(self, daemon, word):
        wait_for(lambda: word in daemon.why_not(), f"it says {word!r}")

    def wait_until_it_acts(self, daemon):
        wait_for(lambda: daemon.get("state")["acting"], "it acts")
        job = sbatch()
        self.assertEqual(daemon.wait_for_ends(job)[0]["state"], "completed")
        self.assertIn("start", daemon.verbs(job))
