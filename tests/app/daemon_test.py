#!/usr/bin/env python3
"""penstock serve: what it does with what it is asked, over a bridge of this file that knows no Slurm."""
import contextlib
import json
import pathlib
import re
import resource
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.error
import urllib.request

from program import PROGRAM, main

TOKEN = "0123456789abcdef"
# Takes jobs as slowly as the file `slow` says, in seconds, shows them as running if there is a file `shows`, and lets no node sleep.
BRIDGE = f"""#!{sys.executable}
import json, pathlib, sys, time
SITE = sys.argv[-1]
NODES = [{{"name": name, "state": state, "gpus": [{{"type": "a100", "total": 4}}], "partitions": ["main"]}} for name, state in (("n1", "idle"), ("n2", "down"))]
ANSWERS = {{"hello": {{"cluster": SITE}}, "nodes": {{"nodes": NODES}},
           "partitions": {{"partitions": [{{"name": "main"}}]}}, "jobs": {{"jobs": [], "last_update": 1}}, "submit": {{"job": 7}}}}
for line in sys.stdin:
    asked = json.loads(line)
    slow = pathlib.Path("slow")
    if asked["do"] == "submit" and slow.exists():
        time.sleep(float(slow.read_text()))
    if asked["do"] == "submit" and pathlib.Path("shows").exists():
        ANSWERS["jobs"]["jobs"].append({{"job": 7, "state": "running", "name": "lone", "user": "ann", "partition": "main", "comment": asked.get("comment"),
                                        "gpus": 1, "node_count": 1, "nodes": ["n1"], "gpus_held": [{{"node": "n1", "type": "a100", "indices": [0]}}],
                                        "submitted": int(time.time()), "started": int(time.time())}})
    if asked["do"] == "cancel":
        for job in ANSWERS["jobs"]["jobs"]:
            job.update(state="cancelled", ended=int(time.time()))
    fine = {{"ok": True, **ANSWERS.get(asked["do"], {{}})}}
    no = {{"ok": False, "error": {{"code": "refused", "text": "no power saving here", "slurm": 1}}}}
    print(json.dumps({{"id": asked["id"], **(no if asked["do"] == "power_down" else fine)}}), flush=True)
"""
CONFIG = """\
[serve]
listen = "127.0.0.1:0"
token_file = "token"
journal = "journal.db"
mode = "live"
[policy]
name = "geo"
"""
SITE = """\
[[site]]
name = "{0}"
price = {{ fixed = "0.2 EUR/kWh" }}
[site.slurm]
bridge = "./bridge"
conf = "{0}"
poll = "1 s"
patience = "8 s"
"""
JOB = {"script": "#!/bin/sh\ntrue\n", "work_dir": "/tmp", "gpus": 1, "partition": "main"}


class Daemon:
    """One that runs in a folder until it is stopped."""

    def __init__(self, folder):
        # Python ignores SIGXFSZ, and so does what it starts: a file that must not grow is an error, as on a full disk.
        self.process = subprocess.Popen([PROGRAM, "serve", "serve.toml"], cwd=folder, stderr=subprocess.PIPE, text=True, restore_signals=False)
        for line in self.process.stderr:
            if listens := re.search(r"listens on ([\d.:]+)", line):
                self.address = f"http://{listens[1]}"
                return
        raise AssertionError("it did not begin")

    def fill_disk(self, is_full):
        hard = resource.prlimit(self.process.pid, resource.RLIMIT_FSIZE)[1]
        resource.prlimit(self.process.pid, resource.RLIMIT_FSIZE, (0 if is_full else hard, hard))

    def ask(self, path, body=None):
        """Status, answer and headers."""
        request = urllib.request.Request(self.address + path, headers={"Authorization": f"Bearer {TOKEN}"},
                                         data=None if body is None else json.dumps(body).encode())
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return answer.status, json.load(answer), answer.headers
        except urllib.error.HTTPError as refusal:
            return refusal.code, json.load(refusal), refusal.headers

    def stop(self):
        self.process.terminate()
        self.process.communicate(timeout=30)


class Daemons(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory())).resolve()
        (self.folder / "bridge").write_text(BRIDGE)
        (self.folder / "bridge").chmod(0o755)
        (self.folder / "token").write_text(TOKEN + "\n")
        (self.folder / "token").chmod(0o600)

    @contextlib.contextmanager
    def daemon(self, *sites, config=CONFIG):
        (self.folder / "serve.toml").write_text(config + "".join(map(SITE.format, sites)))
        daemon = Daemon(self.folder)
        try:
            yield daemon
        finally:
            daemon.stop()

    def until(self, is_so, seconds=20):
        end = time.monotonic() + seconds
        while not is_so():
            self.assertLess(time.monotonic(), end, "it did not come to that")
            time.sleep(0.1)

    def test_a_slow_cluster_was_called_busy_while_it_took_the_job(self):
        with self.daemon("east") as daemon:
            (self.folder / "slow").write_text("6")
            status, answer, _ = daemon.ask("/api/v1/jobs", JOB)
            self.assertEqual((status, answer), (200, {"id": "east/7"}))

    def test_nobody_is_asked_to_submit_again_what_may_have_been_taken(self):
        with self.daemon("east") as daemon:
            (self.folder / "slow").write_text("60")
            status, answer, headers = daemon.ask("/api/v1/jobs", JOB)
            self.assertEqual(status, 504)
            self.assertIn("may have been done", answer["error"])
            self.assertNotIn("Retry-After", headers)

    def test_a_daemon_that_is_stopped_does_not_wait_for_a_slow_cluster(self):
        with self.daemon("east") as daemon:
            (self.folder / "slow").write_text("60")
            asking = subprocess.Popen([PROGRAM, "submit", "--daemon", daemon.address, "--token-file", "token", "bridge"], cwd=self.folder,
                                      stderr=subprocess.PIPE, text=True)
            time.sleep(1)
            begun = time.monotonic()
            daemon.stop()
            self.assertLess(time.monotonic() - begun, 4)
            self.assertIn("it may have been done", asking.communicate(timeout=30)[1])

    def test_a_job_that_was_refused_on_a_full_disk_came_back_with_the_next_start(self):
        def pool(daemon):
            return [job["id"] for job in daemon.ask("/api/v1/jobs")[1]["jobs"]]

        with self.daemon("east", "west") as daemon:
            daemon.ask("/api/v1/pause", {})
            self.assertEqual(daemon.ask("/api/v1/jobs", JOB)[:2], (200, {"id": "pool/1"}))
            daemon.fill_disk(True)
            status, answer, _ = daemon.ask("/api/v1/jobs", JOB)
            self.assertEqual(status, 503, answer)
            self.assertEqual(pool(daemon), ["pool/1"])
            daemon.fill_disk(False)
            self.until(lambda: not any("journal" in why for why in daemon.ask("/api/v1/state")[1]["why_not"]))
        with self.daemon("east", "west") as daemon:
            self.assertEqual(pool(daemon), ["pool/1"])

    def test_a_job_of_the_pool_could_not_be_found_once_a_site_had_it(self):
        (self.folder / "shows").touch()

        def state(name):
            status, answer, _ = daemon.ask(f"/api/v1/jobs/{name}")
            return answer["job"]["state"] if status == 200 else answer["error"]

        with self.daemon("east", "west") as daemon:
            daemon.ask("/api/v1/pause", {})
            self.assertEqual(daemon.ask("/api/v1/jobs", JOB)[1], {"id": "pool/1"})
            self.assertEqual(state("pool/1"), "queued")
            self.assertEqual([line["what"] for line in daemon.ask("/api/v1/jobs/pool/1")[1]["life"]], ["pooled"])
            daemon.ask("/api/v1/resume", {})
            self.until(lambda: state("pool/1") == "running")
            placed = daemon.ask("/api/v1/jobs/pool/1")[1]
            self.assertEqual((placed["job"]["ref"], placed["job"]["name"]), ("7", "lone"))
            self.assertEqual(daemon.ask("/api/v1/jobs/7")[1]["job"]["id"], placed["job"]["id"], "no other site has a job of this number")
            self.assertEqual(daemon.ask("/api/v1/jobs?ids=pool/1")[1]["total"], 1)
            self.assertEqual(daemon.ask("/api/v1/jobs/pool/1/cancel", {})[0], 200)
            self.until(lambda: state("pool/1") == "ended")
            self.assertEqual(state("7"), "ended", "the journal knows of it")
            self.assertEqual(daemon.ask("/api/v1/jobs/pool/1/cancel", {})[:2], (404, {"error": "there is no job 'pool/1' that has not ended"}))
            self.assertEqual(state("pool/2"), "there is no job 'pool/2', and the journal knows of none")
            self.assertEqual(state("8"), "there is no job '8'; possible: SITE/NUMBER")
        with self.daemon("east", "west") as daemon:
            self.assertEqual(state("pool/1"), "ended")

    def test_a_number_that_two_sites_have_is_asked_back(self):
        (self.folder / "shows").touch()
        with self.daemon("east", "west") as daemon:
            for site in ("east", "west"):
                self.assertEqual(daemon.ask("/api/v1/jobs", {**JOB, "site": site})[1], {"id": f"{site}/7"})
            self.until(lambda: daemon.ask("/api/v1/jobs")[1]["total"] == 2)
            self.assertEqual(daemon.ask("/api/v1/jobs/7")[:2], (404, {"error": "several sites have a job '7'; possible: east/7 west/7"}))

    def test_a_job_that_was_taken_back_from_the_pool_has_a_life(self):
        with self.daemon("east", "west") as daemon:
            daemon.ask("/api/v1/pause", {})
            daemon.ask("/api/v1/jobs", JOB)
            self.assertEqual(daemon.ask("/api/v1/jobs/pool/1/cancel", {})[0], 200)
            answer = daemon.ask("/api/v1/jobs/pool/1")[1]
            self.assertEqual((answer["job"], [line["what"] for line in answer["life"]]), ({"id": "pool/1", "state": "ended"}, ["pooled", "unpooled"]))

    def test_a_reason_that_two_sites_share_was_told_twice(self):
        with self.daemon("east", "west") as daemon:
            daemon.ask("/api/v1/pause", {"reason": "fans"})
            for page in ("/readyz", "/api/v1/state"):
                self.until(lambda page=page: daemon.ask(page)[1]["why_not"] == ["it is paused: fans"], 5)

    def test_release_said_nothing_of_jobs_that_no_slurm_knows(self):
        with self.daemon("east", "west") as daemon:
            daemon.ask("/api/v1/pause", {})
            for _ in range(3):
                daemon.ask("/api/v1/jobs", JOB)
            daemon.ask("/api/v1/jobs/pool/2/cancel", {})
        done = subprocess.run([PROGRAM, "serve", "serve.toml", "--release"], cwd=self.folder, capture_output=True, text=True, timeout=60)
        self.assertEqual((done.returncode, done.stdout, done.stderr),
                         (0, "east: 0 jobs are left to Slurm\nwest: 0 jobs are left to Slurm\n"
                             "pool: 2 jobs wait with the daemon until it runs again: no Slurm knows them\n", ""))

    def test_agents_of_two_sites_with_nodes_of_one_name_were_taken_for_one(self):
        report = {"gpus": [{"index": 0, "power_w": 100}]}
        with self.daemon("east", "west") as daemon:
            self.assertEqual(daemon.ask("/api/v1/agents/n1", {**report, "site": "west"})[:2], (200, {"valid_s": 30, "gpus": []}))
            status, answer, _ = daemon.ask("/api/v1/agents/n1", report)
            self.assertEqual((status, answer["error"]), (400, "several sites have a node 'n1'; possible: say which is meant, penstock agent --site"))
            self.assertEqual(daemon.ask("/api/v1/agents/n1", {**report, "site": "north"})[0], 404)

    def test_a_node_that_slurm_does_not_let_sleep_was_billed_as_asleep(self):
        with self.daemon("east", config=CONFIG.replace('"geo"', '"fifo"') + '[costs]\nnode_sleep = { after = "3 s", wake = "1 s" }\n') as daemon:
            self.until(lambda: any(each["state"] == "refused" for each in daemon.ask("/api/v1/decisions")[1]["decisions"]))
            self.until(lambda: daemon.ask("/api/v1/sites")[1]["sites"][0]["nodes_asleep"] == 0, 2)


if __name__ == "__main__":
    main()
