#!/usr/bin/env python3
"""What the daemon itself takes: a real penstock serve over a bridge without a Slurm, so that nothing else is measured.

live.py [FOLDER OF THE PROGRAMS] [JOBS]: from the end of a job to the request that starts the next one, with 1 000 running
and 10 000 waiting; starts a second; requests a second of its API meanwhile; its memory over JOBS (100 000) short jobs.
"""
import json
import pathlib
import re
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[1]
BUILT = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "build/release").resolve()
JOBS = int(sys.argv[2]) if len(sys.argv) > 2 else 100_000
MEMORY = pathlib.Path("/dev/shm")  # where nothing waits for a disk
ELASTIC = "penstock: profile=example gpus=1-4 work=2000"


class Daemon:
    """penstock serve over the fake bridge with the words given."""

    def __init__(self, folder, policy, *flow):
        self.figures = folder / "figures.json"
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        bridge = folder / "bridge"
        bridge.write_text("#!/bin/sh\nexec '%s' %s\n" % (BUILT / "fake_bridge", " ".join(f"'{word}'" for word in (self.figures, *flow))))
        bridge.chmod(0o755)
        (folder / "models.toml").write_text((ROOT / "share/examples/models.toml").read_text())
        config = folder / "serve.toml"
        config.write_text(f'''[workload]
profiles = "models.toml"
[serve]
listen = "127.0.0.1:{self.port}"
journal = "journal.db"
mode = "live"
[[site]]
name = "east"
price = {{ fixed = "0.2 EUR/kWh" }}
[site.slurm]
bridge = "{bridge}"
[policy]
{policy}
''')
        self.log = open(folder / "log", "w", encoding="utf-8")
        self.process = subprocess.Popen([BUILT / "penstock", "serve", config], stderr=self.log)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(60)
        self.log.close()

    def state(self):
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/api/v1/state", timeout=30) as answer:
                return json.load(answer)
        except OSError:
            return None

    def wait_until(self, holds, seconds):
        begun = time.monotonic()
        while time.monotonic() - begun < seconds:
            state = self.state()
            if state and holds(state["jobs"]):
                return time.monotonic() - begun
            assert self.process.poll() is None, "the daemon ended"
            time.sleep(0.1)
        raise TimeoutError(f"not within {seconds} s: {self.state()}")

    def memory(self):
        """Resident, in 10^6 bytes."""
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+)", status)[1]) * 1024 / 1e6

    def late(self, after):
        """Milliseconds from the end of a job to the next request, of those that came so many seconds after the bridge began."""
        return [ms for when, ms in json.loads(self.figures.read_text())["late_ms"] if when > after]


def share(values, part):
    return sorted(values)[min(len(values) - 1, int(part * len(values)))]


def measure_loop(policy, comment="", seconds=30, ask=False, where=None):
    """`where` the journal lies: what it says is on the disk before a request is sent, however long that takes."""
    with tempfile.TemporaryDirectory(dir=where) as folder:
        daemon = Daemon(pathlib.Path(folder), policy, 125, 8, 10_000, 1_000_000, 120, comment)
        with daemon:
            filled = daemon.wait_until(lambda jobs: jobs["running"] >= 1000 * (0.2 if comment else 0.98), 180)
            before = daemon.state()
            time.sleep(seconds)
            if ask:
                subprocess.run([BUILT / "bench/api_bench", str(daemon.port)], check=True)
            after, memory = daemon.state(), daemon.memory()
            time.sleep(1.5)  # the bridge writes its figures every second
        late = daemon.late(filled + 2)
        name = policy.replace("\n", " ").replace('"', "").replace("name = ", "")
        print(f"{name}, journal {'in memory' if where else 'on disk'}: {after['jobs']['running']} running, {after['jobs']['queued']} queued; first filled after {filled:.1f} s; "
              f"end of a job to the next request: median {statistics.median(late):.1f} ms, p95 {share(late, .95):.1f}, p99 {share(late, .99):.1f}, longest {max(late):.0f} "
              f"({len(late)} times); {after['decisions'] - before['decisions']} decisions; {memory:.0f} MB", flush=True)


def measure_memory():
    """Jobs that run for a moment: as many a second as the daemon can start."""
    with tempfile.TemporaryDirectory() as folder:
        with Daemon(pathlib.Path(folder), 'name = "fifo"', 125, 8, 1000, JOBS, 1) as daemon:
            begun, steps = time.monotonic(), []
            for part in range(1, 11):
                daemon.wait_until(lambda jobs: jobs["ended"] >= JOBS * part // 10, 3600)
                steps.append(daemon.memory())
            took = time.monotonic() - begun
        print(f"{JOBS} jobs through the daemon in {took:.0f} s ({JOBS / took:.0f} starts/s); memory at each tenth, MB: "
              + " ".join(f"{step:.0f}" for step in steps), flush=True)


def main():
    if not (BUILT / "fake_bridge").exists():
        sys.exit(f"live: {BUILT}/fake_bridge is not built")
    measure_loop('name = "fifo"', ask=True)
    for policy, comment in (('name = "fifo"', ""), ('name = "fifo"\nbackfill = "easy"', ""), ('name = "powerflow"', ELASTIC)):
        measure_loop(policy, comment, where=MEMORY)
    measure_memory()


if __name__ == "__main__":
    main()
