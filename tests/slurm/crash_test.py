#!/usr/bin/env python3
"""Daemon, bridge, agents and slurmctld are killed again and again while jobs flow. crash_test.py [FOLDER OF THE PROGRAMS]

PENSTOCK_CRASH_JOBS and PENSTOCK_CRASH_KILLS say how many; `make soak` asks for more.
"""
import os
import pathlib
import random
import signal
import tempfile
import time
import unittest

import bridge
import processes
from agents import Agents
from daemon import Daemon
from slurm_cluster import Cluster, wait_for

bridge.require()
JOBS = int(os.environ.get("PENSTOCK_CRASH_JOBS", 60))
KILLS = int(os.environ.get("PENSTOCK_CRASH_KILLS", 24))
SEED = int(os.environ.get("PENSTOCK_CRASH_SEED", 1))


class Crashes(unittest.TestCase):
    def test_none_is_lost_none_starts_twice_and_no_gpu_is_held_by_nobody(self):
        chance = random.Random(SEED)
        with tempfile.TemporaryDirectory() as folder, \
                Cluster("east", jobcomp=bridge.HOOK, lua=bridge.LUA, files={"penstock_partitions.conf": "main\n"},
                        conf="MinJobAge=3600\nMaxJobCount=20000") as cluster, \
                Daemon(folder, [(cluster, "")], 'name = "fifo"\nclock = 900', serve='clocks = "agents"') as daemon, \
                Agents(cluster, daemon, folder) as agents:
            starts = pathlib.Path(folder) / "starts"
            starts.mkdir()
            submitted, kills = [], {"daemon": 0, "bridge": 0, "agent": 0, "slurmctld": 0}
            limit = time.time() + 60 + 2 * JOBS + 3 * KILLS
            while len(submitted) < JOBS or sum(kills.values()) < KILLS:
                self.assertLess(time.time(), limit, "the flow stopped")
                for _ in range(chance.randrange(1, 6)):
                    if len(submitted) < JOBS:
                        submitted.append(self.submit(cluster, chance, starts))
                if sum(kills.values()) < KILLS:
                    self.kill_somebody(cluster, daemon, agents, chance, kills)
                time.sleep(chance.uniform(0, 0.4))
            self.wait_for_all(cluster, daemon, submitted, limit)
            self.check(cluster, daemon, submitted, starts)
            wait_for(lambda: not agents.locked(), "every GPU has its own clock again", 60)
            print(f"{len(submitted)} jobs, killed: {kills}")

    def submit(self, cluster, chance, starts):
        gpus, rest = chance.choice([1, 1, 2, 4]), chance.choice([0, 0.2, 0.5, 1])
        options = ["--parsable", "-o", "/dev/null", f"--gres=gpu:{gpus}", "--no-requeue"]
        script = f"echo $SLURM_RESTART_COUNT >> {starts}/$SLURM_JOB_ID; sleep {rest}"
        # a controller that is down keeps sbatch waiting, as it would a user
        number = wait_for(lambda: cluster.run("sbatch", *options, "--wrap", script, check=False), "sbatch", can_fail=True)
        return int(number)

    def kill_somebody(self, cluster, daemon, agents, chance, kills):
        whom = chance.choices(["daemon", "bridge", "agent", "slurmctld"], [6, 4, 4, 1])[0]
        if whom == "slurmctld":
            time.sleep(0.3)
            cluster.stop_controller()  # in order: a killed one forgets jobs, which is Slurm's own (docs/formats/bridge.md)
            cluster.start_controller()
        elif whom == "daemon":
            daemon.kill()
            daemon.start(wait=chance.random() < 0.5)
        elif whom == "agent":
            agents.kill_one(chance)
        else:
            bridges = processes.children(daemon.process.pid)
            if not bridges:
                return
            os.kill(chance.choice(bridges), signal.SIGKILL)
        kills[whom] += 1

    def wait_for_all(self, cluster, daemon, submitted, limit):
        def left():
            ended = {int(ref) for _, ref in daemon.ended()}
            return [job for job in submitted if job not in ended]
        while left():
            if time.time() > limit + 120:
                self.fail(f"not ended: {left()}\n{cluster.run('squeue', '-o', '%i %T %r %N')}\n{daemon.log()[-3000:]}")
            time.sleep(0.5)

    def check(self, cluster, daemon, submitted, starts):
        ended = daemon.ended()
        self.assertEqual(sorted(int(ref) for _, ref in ended), sorted(submitted), "none is lost, none ends twice")
        for job in submitted:
            begun = (starts / str(job)).read_text().split("\n")
            self.assertEqual(len(begun), 2, f"job {job} started {len(begun) - 1} times")
        shown = {int(line.split("|")[0]): line.split("|")[1]
                 for line in cluster.run("squeue", "-a", "-h", "-t", "all", "-o", "%i|%T").splitlines()}
        for (_, ref), detail in ended.items():
            self.assertEqual(detail["state"].upper(), shown[int(ref)], f"job {ref}")
            self.assertEqual(len(detail["runs"]), 1, detail)
        wait_for(lambda: daemon.get("sites")["sites"][0]["busy_gpus"] == 0, "the daemon holds no GPU")
        self.assertNotIn("AllocTRES=cpu", cluster.run("scontrol", "show", "nodes"))


if __name__ == "__main__":
    unittest.main()
