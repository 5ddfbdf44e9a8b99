"""A penstock serve over real Slurm clusters, for tests."""
import json
import os
import pathlib
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.request

from bridge import BUILT, ROOT
from slurm_cluster import wait_for

PENSTOCK = BUILT / "penstock"
TOKEN = "a-token-for-tests-0123456789"
ENDED = ("completed", "failed", "cancelled", "timeout", "node_fail", "preempted", "boot_fail", "deadline", "out_of_memory")


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Daemon:
    """policy, serve, fence and costs are lines of TOML; sites are pairs of a cluster and further lines of its [[site]]."""

    def __init__(self, folder, sites, policy='name = "fifo"', mode="live", serve="", more="", slurm=""):
        self.folder = pathlib.Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.port = free_port()
        self.token_file = self.folder / "token"
        self.token_file.write_text(TOKEN + "\n")
        self.token_file.chmod(0o600)
        self.journal = self.folder / "journal.db"
        self.log_file = self.folder / "serve.log"
        self.process = None
        tables = "".join(f'''
[[site]]
name = "{cluster.name}"
{lines or 'price = { fixed = "0.2 EUR/kWh" }'}
[site.slurm]
bridge = "{BUILT / 'penstock-slurm'}"
conf = "{cluster.conf}"
events = "{cluster.events}"
poll = "1 s"
{slurm}
''' for cluster, lines in sites)
        self.config = self.folder / "serve.toml"
        self.config.write_text(f'''{more}
[serve]
listen = "127.0.0.1:{self.port}"
token_file = "token"
journal = "journal.db"
mode = "{mode}"
{serve}
{tables}
[policy]
{policy}
''')

    def __enter__(self):
        return self.start()

    def __exit__(self, *_):
        self.stop()

    def start(self, wait=True):
        with open(self.log_file, "a") as log:
            self.process = subprocess.Popen([PENSTOCK, "serve", self.config], stdout=log, stderr=log)
        if wait:
            wait_for(self.is_up, f"the daemon answers\n{self.log()[-2000:]}")
        return self

    def is_up(self):
        assert self.process.poll() is None, f"the daemon ended by itself:\n{self.log()[-3000:]}"
        try:
            return self.get("state")
        except (urllib.error.URLError, ConnectionError, TimeoutError):
            return None

    def stop(self):
        if self.process and self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(20)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
                raise AssertionError("the daemon does not stop")

    def kill(self):
        self.process.kill()
        self.process.wait()

    def log(self):
        return self.log_file.read_text() if self.log_file.exists() else ""

    def get(self, page):
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/api/v1/{page}", timeout=10) as answer:
            return json.load(answer)

    def post(self, page, **body):
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}/api/v1/{page}", json.dumps(body).encode(),
                                         {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=20) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as refused:
            return {"status": refused.code, **json.load(refused)}

    def entries(self, what=None):
        """What the journal has, oldest first: (site, job, what, detail)."""
        import sqlite3
        with sqlite3.connect(f"file:{self.journal}?mode=ro", uri=True, timeout=20) as journal:
            rows = journal.execute("SELECT site, job, what, detail FROM entries ORDER BY id").fetchall()
        return [(site, job, word, json.loads(detail)) for site, job, word, detail in rows if what in (None, word)]

    def requests(self):
        import sqlite3
        with sqlite3.connect(f"file:{self.journal}?mode=ro", uri=True, timeout=20) as journal:
            return journal.execute("SELECT site, job, verb, detail, reason, state, answer FROM requests ORDER BY id").fetchall()

    def ended(self):
        """The jobs that ended, by site and ref: their details. Each only once."""
        ends = {}
        for site, _, _, detail in self.entries("ended"):
            key = (site, detail["ref"])
            assert key not in ends, f"{key} ended twice"
            ends[key] = detail
        return ends
