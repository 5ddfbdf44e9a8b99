#!/usr/bin/env python3
"""What a report costs: all of Philly on 480 GPUs under six policies, its run folders and their page.

report.py [FOLDER OF THE PROGRAMS]
"""
import pathlib
import resource
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
PROGRAM = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "build/release").resolve() / "penstock"
POLICIES = "fifo,fifo:backfill=easy,fifo:backfill=conservative,sjf:backfill=easy,srtf,las"
SCENARIO = f"""name = "philly-480"
[workload]
trace = "{ROOT}/data/philly.csv.gz"
format = "philly"
rows = "lenient"
[[site]]
name = "here"
price = {{ fixed = "0.12 EUR/kWh" }}
carbon = {{ fixed = "300 g/kWh" }}
[[site.nodes]]
count = 60
gpus = 8
gpu = "a100"
"""


def measured(words):
    """Seconds by the clock and of the processor."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    begun = time.monotonic()
    subprocess.run([PROGRAM, *map(str, words), "--no-progress"], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    wall = time.monotonic() - begun
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def size_mb(path):
    files = [path] if path.is_file() else [f for f in path.rglob("*") if f.is_file()]
    return sum(f.stat().st_size for f in files) / 1e6


with tempfile.TemporaryDirectory() as folder:
    dir = pathlib.Path(folder)
    (dir / "philly.toml").write_text(SCENARIO)
    simulate = ["simulate", dir / "philly.toml", "--policy", POLICIES]
    plain = measured(simulate)
    files = measured([*simulate, "--out", dir / "out", "--no-report"])
    report = min(measured(["report", dir / "out", "--out", dir / "report.html"]) for _ in range(3))
    print(f"{'82 247 jobs, 480 GPUs, six policies':<44}{'wall':>9}{'cpu':>9}{'size':>11}")
    print(f"{'simulate':<44}{plain[0]:>7.2f} s{plain[1]:>7.2f} s")
    print(f"{'simulate --out --no-report':<44}{files[0]:>7.2f} s{files[1]:>7.2f} s{size_mb(dir / 'out'):>8.1f} MB")
    print(f"{'report (aim: 3 s, 15 MB), best of 3':<44}{report[0]:>7.2f} s{report[1]:>7.2f} s{size_mb(dir / 'report.html'):>8.1f} MB")
    print(f"    it takes {report[0] / files[0]:.2f} x as long as the simulation that wrote the folders")
