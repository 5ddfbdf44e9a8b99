#!/usr/bin/env python3
"""The example trainer under policies that stop, move and resize it. elastic_test.py [FOLDER OF THE PROGRAMS]"""
import json
import pathlib
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
    cluster = Cluster("east", jobcomp=bridge.HOOK, lua=bridge.LUA, files={"penstock_partitions.conf": "main\n"}).up()


def tearDownModule():
    cluster.down()


class Elastic(unittest.TestCase):
    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory()
        self.folder = pathlib.Path(self.scratch.name)
        (self.folder / "types.json").write_text(json.dumps({node: cluster.kind_of(node)[0] for node in cluster.nodes}))

    def tearDown(self):
        cluster.run("scancel", "-u", "root", check=False)
        wait_for(lambda: not cluster.run("squeue", "-h"), "all jobs are gone")
        self.scratch.cleanup()

    def daemon(self, policy, **options):
        return Daemon(self.folder, [(cluster, "")], policy, more=f'[workload]\nprofiles = "{EXAMPLES / "models.toml"}"\n'
                      '[costs]\nrestart = "2 s"\n', **options)

    def train(self, comment, work, gpus=1, model="example"):
        return int(cluster.run(
            "sbatch", "--parsable", "-o", f"{self.folder}/out-%j", "--open-mode=append", f"--gres=gpu:{gpus}", "-D", self.folder,
            "--comment", f"penstock: profile={model} work={work} {comment}", "--wrap",
            f"exec python3 {EXAMPLES}/elastic_trainer.py --models {EXAMPLES}/models.toml --model {model} --types types.json --work {work}"))

    def wait_until_ended(self, daemon, jobs, seconds=120):
        try:
            wait_for(lambda: {int(ref) for _, ref in daemon.ended()} >= set(jobs), "all jobs end", seconds)
        except TimeoutError as late:
            raise TimeoutError(f"{late}\n{cluster.run('squeue')}\n{daemon.log()[-3000:]}") from None
        return {int(ref): detail for (_, ref), detail in daemon.ended().items() if int(ref) in jobs}

    def test_powerflow_runs_elastic_and_other_jobs_to_their_end(self):
        with self.daemon('name = "powerflow"') as daemon:
            jobs = [self.train("gpus=1-4", 400, model="example-sgd") for _ in range(6)]
            rigid = int(cluster.run("sbatch", "--parsable", "-o", "/dev/null", "--gres=gpu:2", "--wrap", "sleep 2"))
            ended = self.wait_until_ended(daemon, jobs + [rigid])
            self.assertEqual({detail["state"] for detail in ended.values()}, {"completed"})
            for job in jobs:
                self.assertEqual(ended[job]["kind"], "example-sgd")
                self.assertGreater(ended[job]["energy_j"], 0)
                saved = json.loads((self.folder / f"penstock-{job}.checkpoint").read_text())
                self.assertEqual(saved["done"], 400)
            self.assertEqual(len(ended[rigid]["runs"]), 1, "a job without checkpoints is never stopped")

    def test_andreas_stops_a_patient_job_for_an_urgent_one_and_brings_it_back(self):
        with self.daemon('name = "andreas"', slurm="tardiness_per_hour = 1000.0") as daemon:
            jobs = [self.train("gpus=1-8 deadline=1h priority=1", 12, gpus=4) for _ in range(10)]
            wait_for(lambda: daemon.get("state")["jobs"]["running"] >= 8, "the cluster is full")
            jobs += [self.train("gpus=1-8 deadline=20s priority=5", 4, gpus=4) for _ in range(6)]
            ended = self.wait_until_ended(daemon, jobs, 180)
            self.assertEqual({detail["state"] for detail in ended.values()}, {"completed"})
            runs = [len(detail["runs"]) for detail in ended.values()]
            print(f"runs of each job: {runs}")

    def test_a_job_that_is_moved_by_hand_is_followed(self):
        with self.daemon('name = "fifo"') as daemon:
            job = self.train("checkpoint=yes", 8)
            wait_for(lambda: daemon.get("state")["jobs"]["running"] == 1, "it runs")
            time.sleep(2)
            cluster.run("scontrol", "requeuehold", job)
            ended = self.wait_until_ended(daemon, [job])[job]
            self.assertEqual(len(ended["runs"]), 2)
            self.assertEqual(ended["state"], "completed")


if __name__ == "__main__":
    patient.main()
