#!/usr/bin/env python3
"""Makes data/journal-sample.sqlite: a simulated afternoon under powerflow, written down as if it had happened. Jobs there are up to a fifth
faster or slower than the models say, so that replaying it shows an error. Usage: make_journal_sample.py PENSTOCK OUT"""
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests/app"))
import journals  # noqa: E402

ORIGIN_MS = 1609459200000  # 2021-01-01
SITE = """
seed = 7
[[site]]
name = "east"
price = { fixed = "0.12 EUR/kWh" }
carbon = { fixed = "300 g/kWh" }
[[site.nodes]]
count = 4
gpus = 4
gpu = "t4"
"""
TRUTH = """
[workload]
trace = "%s"
format = "pollux"
profiles = "%s"
start = "2021-01-01T00:00Z"
limit = 60
gpus_max = 8
truth = { kind = "noisy", spread = 0.1 }
refit = "never"
"""


def main(penstock, out):
    trace = ROOT / "data/pollux-1.csv.gz"
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "truth.toml").write_text(SITE + TRUTH % (trace, "t4.toml"))
        (folder / "t4.toml").write_text(journals.fixed_batches((ROOT / "data/models/t4.toml").read_text()))
        subprocess.run([penstock, "simulate", folder / "truth.toml", "--policy", "powerflow", "--log-decisions", "--out", folder / "run",
                        "--no-progress"], check=True, stdout=subprocess.DEVNULL)
        pathlib.Path(out).unlink(missing_ok=True)
        with journals.Journal(out) as journal:
            journal.began(SITE + '[workload]\nprofiles = "models/t4.toml"\n', policy="powerflow", when_ms=ORIGIN_MS)
            journals.from_run(journal, folder / "run", 4, "t4", ORIGIN_MS)


if __name__ == "__main__":
    main(*sys.argv[1:])
