#!/usr/bin/env python3
"""Two clusters under one daemon: jobs that any site may take are routed. geo_test.py [FOLDER OF THE PROGRAMS]"""
import pathlib
import tempfile
import time
import unittest

import bridge
import patient
from daemon import Daemon
from slurm_cluster import Cluster, wait_for

bridge.require()


class Sites(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        options = {"jobcomp": bridge.HOOK, "lua": bridge.LUA, "files": {"penstock_partitions.conf": "main\n"}}
        cls.east = Cluster("east", nodes=2, gpus=("a100:4",), **options).up()
        cls.west = Cluster("west", nodes=2, gpus=("a100:4",), **options).up()

    @classmethod
    def tearDownClass(cls):
        cls.east.down()
        cls.west.down()

    def daemon(self, folder):
        return Daemon(folder, [(self.east, 'price = { fixed = "0.40 EUR/kWh" }'), (self.west, 'price = { fixed = "0.05 EUR/kWh" }')],
                      'name = "geo"\nrouter = "cheapest"\nsite = "fifo"')

    def submit(self, daemon, folder, seconds=1, **more):
        answer = daemon.post("jobs", script=f"#!/bin/sh\necho x >> {folder}/begun\nsleep {seconds}\n", work_dir=str(folder), std_out="/dev/null",
                             gpus=1, time_limit_min=5, **more)
        self.assertIn("id", answer)
        return answer["id"]

    def test_the_cheap_site_gets_what_any_site_may_take_and_the_others_stay_at_home(self):
        with tempfile.TemporaryDirectory() as name, self.daemon(name) as daemon:
            folder = pathlib.Path(name)
            ids = [self.submit(daemon, folder) for _ in range(5)]
            self.assertEqual(ids[0], "pool/1")
            at_home = int(self.east.run("sbatch", "--parsable", "-o", "/dev/null", "--gres=gpu:1", "--wrap", "sleep 1"))
            wait_for(lambda: len(daemon.ended()) == 6, "all jobs end")
            sites = [site for site, _ in daemon.ended()]
            self.assertEqual(sorted(sites), ["east"] + ["west"] * 5)
            self.assertIn(("east", str(at_home)), daemon.ended())

    def test_a_named_site_is_kept(self):
        with tempfile.TemporaryDirectory() as name, self.daemon(name) as daemon:
            self.assertTrue(self.submit(daemon, pathlib.Path(name), site="east").startswith("east/"))
            wait_for(lambda: len(daemon.ended()) == 1, "it ends")
            self.assertIn("no site 'north'", daemon.post("jobs", script="#!/bin/sh\n", work_dir="/tmp", gpus=1, site="north")["error"])
            self.assertIn("gpus", daemon.post("jobs", script="#!/bin/sh\n", work_dir="/tmp")["error"])
            self.assertIn("99", daemon.post("jobs", script="#!/bin/sh\n", work_dir="/tmp", gpus=99)["error"])

    def test_what_waits_for_a_site_survives_a_kill_and_runs_once(self):
        with tempfile.TemporaryDirectory() as name, self.daemon(name) as daemon:
            folder = pathlib.Path(name)
            for _ in range(20):
                self.submit(daemon, folder, 0.5)
            for _ in range(4):
                time.sleep(0.7)
                daemon.kill()
                daemon.start()
            wait_for(lambda: len(daemon.ended()) == 20, "all jobs end", 90)
            self.assertEqual((folder / "begun").read_text(), "x\n" * 20, "each has run once")
            wait_for(lambda: daemon.get("jobs")["total"] == 0, "none is shown any more")

    def test_a_site_that_is_gone_keeps_the_other_going(self):
        with tempfile.TemporaryDirectory() as name, self.daemon(name) as daemon:
            self.west.stop_controller()
            try:
                wait_for(lambda: not daemon.get("sites")["sites"][1]["backend"]["ok"], "west is seen to be gone")
                job = int(self.east.run("sbatch", "--parsable", "-o", "/dev/null", "--gres=gpu:1", "--wrap", "sleep 1"))
                wait_for(lambda: ("east", str(job)) in daemon.ended(), "east goes on")
            finally:
                self.west.start_controller()
            wait_for(lambda: daemon.get("sites")["sites"][1]["backend"]["ok"], "west is back")
            wait_for(lambda: "unk" not in self.west.run("sinfo", "-h", "-o", "%t"), "its nodes are known again")


if __name__ == "__main__":
    patient.main()
