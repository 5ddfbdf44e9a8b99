"""A penstock serve over real Slurm clusters, for tests."""
import json
import os
import pathlib
import shutil
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
    """policy, serve, fence and costs are lines of TOML; sites are pairs of a cluster and further lines of its [[site]].

    bridge: another program than penstock-slurm. user: who runs it, from a copy of the programs that he can read; it hears no events."""

    def __init__(self, folder, sites, policy='name = "fifo"', mode="live", serve="", more="", slurm="", bridge=None, user=None):
        self.folder = pathlib.Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.port = free_port()
        self.token_file = self.folder / "token"
        self.token_file.write_text(TOKEN + "\n")
        self.token_file.chmod(0o600)
        self.journal = self.folder / "journal.db"
        self.log_file = self.folder / "serve.log"
        self.process, self.user, self.program = None, user, PENSTOCK
        bridge = bridge or BUILT / "penstock-slurm"
        if user:
            self.program, bridge = (shutil.copy(program, self.folder) for program in (PENSTOCK, bridge))
        tables = "".join(f'''
[[site]]
name = "{cluster.name}"
{lines or 'price = { fixed = "0.2 EUR/kWh" }'}
[site.slurm]
bridge = "{bridge}"
conf = "{cluster.conf}"
{'' if user else f'events = "{cluster.events}"'}
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
        if user:
            for path in (self.folder, *self.folder.iterdir()):
                shutil.chown(path, user)

    def __enter__(self):
        return self.start()

    def __exit__(self, *_):
        self.stop()

    def start(self, wait=True):
        with open(self.log_file, "a") as log:
            self.process = subprocess.Popen([self.program, "serve", self.config], stdout=log, stderr=log, user=self.user)
        if wait:
            try:
                wait_for(self.is_up, "the daemon answers")
            except TimeoutError as late:
                self.kill()
                raise TimeoutError(f"{late}:\n{self.log()[-2000:]}") from None
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

    def run(self, *words, token=True):
        """What a command of penstock's that asks this daemon prints, errors included."""
        asks = {"PENSTOCK_DAEMON": f"http://127.0.0.1:{self.port}", **({"PENSTOCK_TOKEN_FILE": str(self.token_file)} if token else {})}
        done = subprocess.run([PENSTOCK, *map(str, words)], env={**os.environ, **asks}, cwd=self.folder, capture_output=True, text=True, timeout=60, check=False)
        return done.stdout + done.stderr

    def why_not(self):
        """Why it does not act, in one line; empty if it does."""
        return "; ".join(self.get("state")["why_not"])

    def life(self, job):
        """All that is told of a job, in one text; empty if it is not known yet."""
        try:
            lines = self.get(f"jobs/{job}")["life"]
        except urllib.error.HTTPError:
            return ""
        return " ".join(f"{line['what']}: {line['text']} ({line['reason']})." for line in lines)

    def verbs(self, job=None):
        """What was ordered of Slurm, in order."""
        return [verb for _, about, verb, *_ in self.requests() if job in (None, about)]

    def wait_for_ends(self, *jobs, seconds=60):
        """Waits until these jobs (numbers, or refs) have ended in the journal, and returns their details."""
        wanted = [("east", str(job)) for job in jobs]
        wait_for(lambda: all(job in self.ended() for job in wanted), f"{jobs} end", seconds)
        ended = self.ended()
        return [ended[job] for job in wanted]

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
