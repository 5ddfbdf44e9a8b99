"""One penstock agent on each node of a cluster, over fake GPUs that work while Slurm has given them to a job."""
import os
import pathlib
import signal
import subprocess
import sys
import threading
import time

import bridge
import processes
from daemon import PENSTOCK

sys.path.insert(0, str(bridge.ROOT / "tests/agent"))
from fake_gpus import FakeGpus  # noqa: E402

FAKE = bridge.BUILT / "fake_nvml/libnvidia-ml.so.1"


class Agents:
    """load: how busy a job keeps the GPUs of a node, 1 for all that they can."""

    def __init__(self, cluster, daemon, folder, load=None):
        self.cluster, self.daemon, self.folder, self.load = cluster, daemon, pathlib.Path(folder), load or (lambda node: 1)
        self.stopped, self.gpus, self.agents = False, {}, {}
        for node in cluster.nodes:
            kind, count = cluster.kind_of(node)
            self.gpus[node] = FakeGpus(self.folder / f"{node}.gpus", FAKE, count=count, kind=kind)
        self.thread = threading.Thread(target=self.follow)

    def start(self, node):
        self.agents[node] = subprocess.Popen(
            [PENSTOCK, "agent", "--node", node, "--library", FAKE, "--state", self.folder / f"{node}.json", "--interval", "1 s",
             "--daemon", f"http://127.0.0.1:{self.daemon.port}", "--token-file", self.daemon.token_file],
            env=self.gpus[node].environment(), stderr=subprocess.DEVNULL)

    def kill_one(self, chance):
        """The worker or its guard, of one node; a guard is started again, as systemd would."""
        node = chance.choice(sorted(self.agents))
        guard = self.agents[node]
        os.kill(chance.choice([guard.pid, *processes.children(guard.pid)]), signal.SIGKILL)
        time.sleep(0.02)
        if guard.poll() is not None:
            self.start(node)

    def locked(self):
        """Clocks that somebody has set and nobody reset."""
        return {node: gpus.locks() for node, gpus in self.gpus.items() if any(lock is not None for lock in gpus.locks())}

    def joules_above_idle(self):
        """What all GPUs have used since the beginning, by their counters, beyond what idle ones would have."""
        passed = time.time() - self.began
        return sum(gpus.joules(index) - gpus.idle * passed for gpus in self.gpus.values() for index in range(gpus.count))

    def busy_gpus(self, slurm):
        return {(held["node"], index) for job in slurm.ask("jobs")["jobs"] if job["state"] == "running"
                for held in job["gpus_held"] for index in held["indices"]}

    def follow(self):
        with bridge.Bridge(self.cluster) as slurm:
            before = None
            while not self.stopped:
                busy = self.busy_gpus(slurm)
                if busy != before:
                    for node, gpus in self.gpus.items():
                        gpus.change({f"busy.{index}": self.load(node) * int((node, index) in busy) for index in range(self.cluster.kind_of(node)[1])})
                before = busy
                time.sleep(0.2)

    def __enter__(self):
        self.began = time.time()
        for node, gpus in self.gpus.items():
            gpus.change({f"busy.{index}": 0 for index in range(gpus.count)})
        for node in self.cluster.nodes:
            self.start(node)
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.stopped = True
        self.thread.join()
        for agent in self.agents.values():
            agent.terminate()
        for agent in self.agents.values():
            agent.wait(20)
