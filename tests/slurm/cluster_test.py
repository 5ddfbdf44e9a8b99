#!/usr/bin/env python3
"""Our own Slurm comes up from nothing, gives jobs their GPUs, and leaves nothing behind, however its test ends."""
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import unittest

import patient
import processes
import slurm_cluster
from slurm_cluster import Cluster, wait_for

slurm_cluster.require()
HERE = pathlib.Path(__file__).resolve().parent
VICTIM = """
import sys; sys.path.insert(0, sys.argv[1])
from slurm_cluster import Cluster
cluster = Cluster("victim", nodes=2).up()
cluster.run("sbatch", "-o", "/dev/null", "--wrap", "env -i sleep 1000")
print(cluster.folder, cluster.guard.pid, flush=True)
sys.stdin.read()
"""


def start_victim():
    """A test that has brought up a cluster: its process, the cluster's folder and the guard's id."""
    victim = subprocess.Popen([sys.executable, "-c", VICTIM, HERE], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    folder, guard = victim.stdout.readline().split()
    return victim, pathlib.Path(folder), int(guard)


def kill(victim):
    victim.kill()
    victim.communicate()


class AClusterOfOurOwn(unittest.TestCase):
    def test_two_clusters_run_jobs_side_by_side(self):
        with Cluster("east") as east, Cluster("west", nodes=2, gpus=["h100:2"]) as west:
            self.assertEqual(east.run("sinfo", "-h", "-N", "-o", "%N %G").split("\n")[3:5], ["east-n4 gpu:a100:4", "east-n5 gpu:v100:8"])
            for cluster, gres in ((east, "gpu:v100:3"), (west, "gpu:h100:2")):
                out = cluster.folder / "out"
                cluster.run("sbatch", f"--gres={gres}", "-o", out, "--wrap", "echo $SLURM_CLUSTER_NAME $CUDA_VISIBLE_DEVICES")
                wait_for(lambda: out.exists() and out.read_text(), "the job has written")
            self.assertEqual((east.folder / "out").read_text(), "east 0,1,2\n")
            self.assertEqual((west.folder / "out").read_text(), "west 0,1\n")
        self.assertEqual(processes.of(east.folder) | processes.of(west.folder), set())
        self.assertFalse(east.folder.exists() or west.folder.exists())

    def test_a_killed_test_leaves_no_daemon_and_no_job(self):
        victim, folder, _ = start_victim()
        kill(victim)
        wait_for(lambda: not folder.exists() and not processes.of(folder), "the guard has cleared away")

    def test_the_next_cluster_clears_away_what_a_killed_guard_left(self):
        victim, folder, guard = start_victim()
        os.kill(guard, signal.SIGKILL)
        kill(victim)
        self.assertTrue(processes.of(folder))
        slurm_cluster.clear_ownerless()
        self.assertEqual((processes.of(folder), folder.exists()), (set(), False))

    def test_clusters_whose_owner_lives_are_left_alone(self):
        with Cluster("east", nodes=1) as east:
            slurm_cluster.clear_ownerless()
            self.assertIn("idle", east.run("sinfo", "-h"))

    def test_by_hand_it_goes_up_and_down(self):
        with tempfile.TemporaryDirectory() as parent:
            by_hand = [sys.executable, HERE / "slurm_cluster.py"]
            folder = pathlib.Path(parent) / "mine"
            said = subprocess.run([*by_hand, "up", folder, "--nodes", "1"], capture_output=True, text=True, check=True).stdout
            self.assertEqual(said, f"export SLURM_CONF={folder}/slurm.conf\n")
            self.assertTrue(processes.of(folder))
            subprocess.run([*by_hand, "down", folder], check=True)
            self.assertEqual((processes.of(folder), folder.exists()), (set(), False))

    def test_a_folder_that_is_no_cluster_is_not_removed(self):
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "thesis.txt").write_text("mine")
            with self.assertRaises(RuntimeError):
                slurm_cluster.end(pathlib.Path(folder))


if __name__ == "__main__":
    if len(sys.argv) > 1 and pathlib.Path(sys.argv[1]).is_dir():
        del sys.argv[1]
    patient.main()
