#!/usr/bin/env python3
"""The daemon as an ordinary account, and what must stay secret. live_user_test.py [FOLDER OF THE PROGRAMS]"""
import os
import pathlib
import subprocess
import tempfile
import unittest

import bridge
import patient
import processes
from daemon import TOKEN, Daemon
from slurm_cluster import Cluster, wait_for

bridge.require()
SLURM_USER, OTHER = "daemon", "nobody"


def setUpModule():
    global east
    east = Cluster("east", nodes=2, gpus=("a100:4",), jobcomp=bridge.HOOK, lua=bridge.LUA, files={"penstock_partitions.conf": "main\n"}, user=SLURM_USER).up()


def tearDownModule():
    east.down()


def sbatch(user, seconds=0):
    return int(subprocess.run(["sbatch", "--parsable", "-o", "/dev/null", "--gres=gpu:1", "--wrap", f"sleep {seconds}"], env=east.environment, cwd="/",
                              user=user, extra_groups=[], capture_output=True, text=True, check=True).stdout)


def owner(pid):
    return os.stat(f"/proc/{pid}").st_uid


class Accounts(unittest.TestCase):
    def setUp(self):
        there = tempfile.TemporaryDirectory()
        self.addCleanup(there.cleanup)
        self.folder = pathlib.Path(there.name)
        self.folder.chmod(0o755)
        self.addCleanup(east.run, "scancel", "-p", "main", check=False)

    def daemon(self, user, **options):
        return Daemon(self.folder / "daemon", [(east, "")], user=user, **options)

    def test_as_slurms_own_account_it_governs_everybodys_jobs(self):
        with self.daemon(SLURM_USER) as daemon:
            running = [daemon.process.pid, *processes.children(daemon.process.pid)]
            self.assertNotIn(0, {owner(pid) for pid in running}, "nothing of ours is root's")
            job = sbatch(OTHER)
            [ended] = daemon.wait_for_ends(job)
            self.assertEqual((ended["state"], ended["user"]), ("completed", OTHER))
            self.assertEqual(daemon.verbs(job), ["start"])

    def test_as_anybody_it_is_denied_and_says_so(self):
        with self.daemon(OTHER) as daemon:
            job = sbatch("bin")
            wait_for(lambda: "Slurm said: Invalid user id" in daemon.life(job), "Slurm says no")
            self.assertEqual(east.run("squeue", "-h", "-j", job, "-o", "%T"), "PENDING")

    def test_the_token_is_nowhere_but_in_its_file(self):
        with self.daemon(SLURM_USER) as daemon:
            daemon.post("pause", reason="fans")
            daemon.run("resume")
            daemon.wait_for_ends(sbatch(OTHER))
            pages = "".join(str(daemon.get(page)) for page in ("state", "sites", "jobs", "decisions"))
            self.assertNotIn(TOKEN, pages + daemon.log())
            self.assertNotIn(TOKEN, pathlib.Path(f"/proc/{daemon.process.pid}/cmdline").read_text())
        for file in daemon.folder.glob("journal.db*"):
            self.assertNotIn(TOKEN.encode(), file.read_bytes(), file)

    def test_a_token_that_everybody_can_read_is_refused(self):
        daemon = self.daemon(SLURM_USER)
        daemon.token_file.chmod(0o644)
        self.assertIn("token", daemon.run("serve", daemon.config))


if __name__ == "__main__":
    patient.main(bridge.BUILT)
