"""An agent with fake GPUs and a fake daemon, started and ended by a test."""
import http.server
import json
import pathlib
import subprocess
import tempfile
import threading
import time
import unittest

from fake_gpus import FakeGpus

LONG = 60  # seconds until a test gives up; nothing here is timed


def wait_for(what, why):
    until = time.monotonic() + LONG
    while time.monotonic() < until:
        found = what()
        if found:
            return found
        time.sleep(0.02)
    raise AssertionError(why)


class Daemon:
    """Answers every report with `plan`; keeps the last report. Can be stopped and started again on its port."""

    def __init__(self):
        self.plan, self.reports, self.token, self.port, self.server = {"valid_s": 2, "gpus": []}, [], "", 0, None
        self.start()

    def start(self):
        daemon = self

        class Answer(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                daemon.token = self.headers.get("Authorization", "")
                daemon.reports.append((self.path, json.loads(body)))
                text = daemon.plan if isinstance(daemon.plan, bytes) else json.dumps(daemon.plan).encode()
                self.send_response(200)
                self.send_header("Content-Length", str(len(text)))
                self.end_headers()
                self.wfile.write(text)

            def log_message(self, *_):
                pass

        http.server.ThreadingHTTPServer.allow_reuse_address = True
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", self.port), Answer)
        self.port = self.server.server_port
        threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True).start()

    def stop(self):
        self.server.shutdown()
        self.server.server_close()

    def set(self, *clocks, valid=2):
        """One clock a GPU; None leaves it alone."""
        self.plan = {"valid_s": valid, "gpus": [{"index": i, "clock_mhz": mhz, "job": 12} for i, mhz in enumerate(clocks) if mhz]}

    def last(self):
        return self.reports[-1][1] if self.reports else None


class AgentCase(unittest.TestCase):
    program = library = ""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.gpus = FakeGpus(self.folder / "gpus", self.library, count=2)
        self.record = self.folder / "state.json"
        self.log = self.folder / "log"
        self.daemon = Daemon()
        self.addCleanup(self.daemon.stop)

    def start(self, *options, patience="2 s", interval="100 ms", source=None):
        source = source or ["--daemon", f"http://127.0.0.1:{self.daemon.port}"]
        with open(self.log, "a", encoding="utf-8") as log:
            agent = subprocess.Popen([self.program, "agent", "--node", "n1", "--library", self.library, "--state", str(self.record), "--interval", interval,
                                      "--patience", patience, *source, *map(str, options)], env=self.gpus.environment(), stderr=log)
        self.addCleanup(self.end, agent)
        return agent

    def end(self, agent):
        if agent.poll() is None:
            agent.terminate()
        return agent.wait(LONG)

    def workers(self, agent):
        return [int(pid) for pid in pathlib.Path(f"/proc/{agent.pid}/task/{agent.pid}/children").read_text().split()]

    def worker(self, agent):
        return wait_for(lambda: self.workers(agent), "there is no worker")[0]

    def said(self):
        return self.log.read_text()

    def wait_locks(self, *locks):
        wait_for(lambda: self.gpus.locks() == list(locks), f"clocks are not {locks}: {self.gpus.values()}\n{self.said()}")

    def wait_said(self, text):
        wait_for(lambda: text in self.said(), f"'{text}' is not in\n{self.said()}")

    def touched(self):
        return json.loads(self.record.read_text())
