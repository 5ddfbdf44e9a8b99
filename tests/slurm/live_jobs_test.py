#!/usr/bin/env python3
"""Every kind of job that users submit, under the daemon. live_jobs_test.py [FOLDER OF THE PROGRAMS]"""
import pathlib
import tempfile
import time
import unittest

import bridge
import patient
from daemon import Daemon
from live_case import east, is_held, sbatch, state
from slurm_cluster import wait_for

setUpModule, tearDownModule = east.up, east.down
# Comments, and a word of the complaint; nothing if there is nothing to complain of.
COMMENTS = [("penstock: gpus=banana", "gpus='banana' is not possible"), ("penstock: profile=nonesuch gpus=1", "no profile 'nonesuch'"),
            ("penstock: " + "x" * 1000, "is not known"), ("penstock: gpus=99999999999999999999-0 deadline=-1h priority=nan", "deadline='-1h'"),
            ("penstock: gpus=1-8; $(touch /hostile) `id` '\"\\ %s%n {\"a\":1}", None), ("penstock: gpus=1 \t\x1b[31mred \"quoted\" \\", "quoted"),
            ("penstock:penstock:penstock:", "is not known"), ("a user's own words; 'DROP TABLE entries; --", None), ("penstock: work=1e999 batch=-3 grace=9d files=x", "work=")]


class Case(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.there = tempfile.TemporaryDirectory()
        cls.daemon = Daemon(pathlib.Path(cls.there.name), [(east, "")], slurm='partitions = ["main"]').start()

    @classmethod
    def tearDownClass(cls):
        cls.daemon.stop()
        cls.there.cleanup()

    def tearDown(self):
        east.run("scancel", "-u", "root", check=False)
        wait_for(lambda: not east.run("squeue", "-h"), "the cluster is empty again")

    def without_lua(self):
        file = east.folder / "penstock_partitions.conf"
        self.addCleanup(file.write_text, "main\n")
        file.write_text("# nothing\n")

    def fill(self):
        """Jobs that hold every GPU."""
        jobs = [sbatch(seconds=1000, gpus=4) for _ in range(2)]
        wait_for(lambda: all(state(job) == "RUNNING" for job in jobs), "the cluster is full")
        return jobs


class Kinds(Case):
    def test_whatever_a_comment_says_the_job_runs_and_the_complaint_is_told(self):
        jobs = [sbatch("--comment", comment) for comment, _ in COMMENTS]
        for (comment, word), job, ended in zip(COMMENTS, jobs, self.daemon.wait_for_ends(*jobs)):
            self.assertEqual((ended["state"], ended["gpus"], ended["comment"]), ("completed", 1, comment), comment)
            told = self.daemon.run("explain", job)
            self.assertNotIn("\x1b", told)
            self.assertEqual(word is not None, "of its comment" in told, comment)
            self.assertIn(word or "", self.daemon.life(job))
        self.assertFalse(pathlib.Path("/hostile").exists())

    def test_jobs_of_other_partitions_and_without_gpus_are_slurms(self):
        other, none = sbatch("-p", "other", seconds=0.1), sbatch(gpus=0, seconds=0.1)
        wait_for(lambda: state(other) == state(none) == "COMPLETED", "they run")
        self.assertEqual(self.daemon.verbs(other), [])
        self.assertEqual(self.daemon.verbs(none), ["release"])
        wait_for(lambda: "it asks for no GPUs" in self.daemon.life(none), "why is told")

    def test_a_job_that_waits_for_its_time_is_not_touched(self):
        self.without_lua()
        job = sbatch("--begin=now+1hour", seconds=0.1)
        time.sleep(2)
        self.assertEqual(self.daemon.verbs(job), [])

    def test_a_job_that_waits_for_another_blocks_nobody_and_runs_after_it(self):
        first = sbatch(seconds=3)
        second = sbatch("-d", f"afterok:{first}", seconds=0.1)
        wait_for(lambda: state(first) == "RUNNING", "the first runs")
        self.assertEqual(self.daemon.verbs(second), [])
        self.assertEqual([ended["state"] for ended in self.daemon.wait_for_ends(first, second)], ["completed", "completed"])
        self.assertEqual(self.daemon.verbs(second), ["start"])

    def test_a_plain_job_is_not_spread_over_nodes(self):
        most = [sbatch(gpus=3, seconds=4) for _ in range(2)]
        wait_for(lambda: all(state(job) == "RUNNING" for job in most), "one GPU is left on each node")
        job = sbatch("-N1", gpus=2, seconds=1)
        wait_for(lambda: state(job) == "RUNNING", "it runs", 30)
        self.assertEqual(east.run("squeue", "-h", "-j", job, "-o", "%D"), "1")
        self.assertEqual(self.daemon.wait_for_ends(job)[0]["gpus"], 2)

    def test_the_tasks_of_an_array_are_jobs(self):
        array = sbatch("--array=0-5%3", seconds=0.2)
        refs = [f"{array}_{task}" for task in range(6)]
        self.assertEqual({ended["state"] for ended in self.daemon.wait_for_ends(*refs)}, {"completed"})

    def test_without_the_lua_jobs_are_held_when_they_are_seen(self):
        self.without_lua()
        full = self.fill()
        job = sbatch()
        wait_for(lambda: is_held(job), "it is held")
        east.run("scancel", *full)
        self.daemon.wait_for_ends(job)
        self.assertEqual(self.daemon.verbs(job), ["hold", "start"])


class Hands(Case):
    """What users do to their jobs by themselves."""

    def test_what_its_owner_holds_stays_held_until_he_releases_it(self):
        job = sbatch("--hold")
        marker = sbatch()
        self.daemon.wait_for_ends(marker)
        self.assertTrue(is_held(job))
        self.assertEqual(self.daemon.verbs(job), [])
        self.assertEqual(self.daemon.get(f"jobs/{job}")["job"]["why"], "its owner holds it")
        east.run("scontrol", "release", job)
        self.assertEqual(self.daemon.wait_for_ends(job)[0]["state"], "completed")

    def test_scancel_works_on_queued_starting_and_running_jobs(self):
        running = self.fill()
        queued = sbatch(seconds=1000)
        wait_for(lambda: self.daemon.get("state")["jobs"]["queued"] == 1, "it waits")
        east.run("scancel", queued)
        east.run("scancel", *running)
        starting = sbatch(seconds=1000)
        wait_for(lambda: "start" in self.daemon.verbs(starting), "it is started")
        east.run("scancel", starting)
        ended = self.daemon.wait_for_ends(queued, starting, *running)
        self.assertEqual({detail["state"] for detail in ended}, {"cancelled"})
        self.assertEqual(ended[0]["runs"], [])
        wait_for(lambda: self.daemon.get("sites")["sites"][0]["busy_gpus"] == 0, "no GPU is held by nobody")

    def test_a_job_that_somebody_releases_is_followed_where_slurm_puts_it(self):
        self.fill()
        job = sbatch(seconds=1)
        wait_for(lambda: self.daemon.get("state")["jobs"]["queued"] == 1, "it waits")
        east.run("scontrol", "release", job)
        wait_for(lambda: not is_held(job), "it is released")
        east.run("scancel", *[line for line in east.run("squeue", "-h", "-t", "running", "-o", "%i").split("\n")])
        ended = self.daemon.wait_for_ends(job)[0]
        self.assertEqual((ended["state"], len(ended["runs"])), ("completed", 1))

    def test_a_job_that_is_moved_away_is_let_go(self):
        self.fill()
        job = sbatch()
        wait_for(lambda: self.daemon.get("state")["jobs"]["queued"] == 1, "it waits")
        east.run("scontrol", "update", f"jobid={job}", "partition=other")
        east.run("scancel", *[line for line in east.run("squeue", "-h", "-t", "running", "-o", "%i").split("\n")])
        wait_for(lambda: state(job) == "COMPLETED", "it runs")
        self.assertTrue(self.daemon.is_up())

    def test_a_job_that_is_suspended_keeps_its_gpus(self):
        job = sbatch(seconds=3)
        wait_for(lambda: state(job) == "RUNNING", "it runs")
        east.run("scontrol", "suspend", job)
        time.sleep(1.5)
        self.assertEqual(self.daemon.get("sites")["sites"][0]["busy_gpus"], 1)
        east.run("scontrol", "resume", job)
        self.assertEqual(self.daemon.wait_for_ends(job)[0]["state"], "completed")


if __name__ == "__main__":
    patient.main(bridge.BUILT)
