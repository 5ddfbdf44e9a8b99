#!/usr/bin/env python3
"""The commands that talk to the daemon, against a small daemon of this file."""
import http.server
import json
import os
import pathlib
import subprocess
import tempfile
import threading
import unittest

from program import PROGRAM, main

TOKEN = "correct-horse-battery"
JOB = {"id": "east/12", "site": "east", "job": 12, "ref": "12", "name": "res\u001b[31mnet", "user": "ada", "partition": "gpu", "state": "running",
       "gpus": 2, "gpus_asked": 4, "nodes": ["n1", "n2"], "clock_mhz": 1200, "submitted": "2026-03-01T00:00:00Z", "started": "2026-03-01T00:05:00Z",
       "expected_end": None, "ended": None, "deadline": None, "priority": 3, "kind": "resnet50", "why": "power is cheap"}
ENDED = {**JOB, "id": "east/9", "job": 9, "ref": "9", "state": "ended", "ended": "2026-03-01T01:00:00Z", "outcome": "timeout", "exit_code": 0,
         "runs": 2, "wait_s": 300.0, "run_s": 3300.0, "energy_j": 1.8e6, "cost": 0.125, "carbon_g": 12.5, "predicted_cost": None, "currency": "EUR"}
LIFE = [{"when": "2026-03-01T00:00:00Z", "what": "submitted", "text": "by ada", "reason": None},
        {"when": "2026-03-01T00:05:00Z", "what": "start", "text": "on n1 n2", "reason": "the price fell"}]


class Daemon(http.server.BaseHTTPRequestHandler):
    """Answers as docs/formats/api.md says, and keeps what it was asked."""
    asked = []
    jobs = [JOB]
    ended = []
    more = False

    def say(self, status, answer):
        text = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def do_GET(self):
        self.asked.append(("GET", self.path, None))
        path, _, query = self.path.partition("?")
        if path == "/api/v1/jobs/garbage":
            return self.say(200, b"\x1b[2J not json")
        if path == "/api/v1/jobs/9":
            return self.say(200, {"job": ENDED, "life": LIFE})
        if path in ("/api/v1/jobs/12", "/api/v1/jobs/east/12"):
            return self.say(200, {"job": JOB, "life": LIFE})
        if path == "/api/v1/ended":
            return self.say(200, {"hours": 24, "more": self.more, "jobs": self.ended})
        if path == "/api/v1/jobs":
            first = int(dict(word.split("=") for word in query.split("&"))["after"])
            return self.say(200, {"total": len(self.jobs), "jobs": self.jobs[first:first + 1000]})
        return self.say(404, {"error": "there is no job \u001b]0;owned\u0007here"})

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.asked.append(("POST", self.path, json.loads(body) if body else None))
        if self.headers.get("Authorization") != f"Bearer {TOKEN}":
            return self.say(401, {"error": "the token is wrong" if self.headers.get("Authorization") else "a token is needed"})
        if self.path == "/api/v1/jobs":
            return self.say(200, {"id": "east/13"})
        if self.path == "/api/v1/jobs/99/cancel":
            return self.say(404, {"error": "there is no job 99"})
        return self.say(200, {})

    def log_message(self, *_):
        pass


class WithDaemon(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        (self.folder / "token").write_text(TOKEN + "\n")
        (self.folder / "token").chmod(0o600)
        Daemon.asked, Daemon.jobs, Daemon.ended, Daemon.more = [], [JOB], [], False
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Daemon)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True).start()

    def tearDown(self):
        self.server.shutdown()
        self.server.server_close()

    def penstock(self, *arguments, token=None, **more):
        env = {**os.environ, "PENSTOCK_DAEMON": self.url, **more}
        env.pop("PENSTOCK_TOKEN_FILE", None)
        if token:
            env["PENSTOCK_TOKEN_FILE"] = str(token)
        return subprocess.run([PROGRAM, *map(str, arguments)], cwd=self.folder, env=env, capture_output=True, text=True, timeout=60)

    def with_token(self, *arguments, **more):
        return self.penstock(*arguments, token=self.folder / "token", **more)

    def refused(self, done, *words):
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertNotIn("\x1b", done.stderr)
        self.assertNotIn(TOKEN, done.stderr)
        for word in words:
            self.assertIn(word, done.stderr)


class Looking(WithDaemon):
    def test_queue_is_a_table_that_cannot_harm_a_terminal(self):
        done = self.penstock("queue", "--user", "a&b", "--site", "east")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        head, row = done.stdout.splitlines()
        self.assertEqual(head.split()[:4], ["JOB", "STATE", "USER", "NAME"])
        self.assertEqual(row.split()[:8], ["east/12", "running", "ada", "res?[31mnet", "gpu", "2/4", "1200", "n1,n2"])
        self.assertTrue(row.endswith("power is cheap"))
        self.assertEqual(Daemon.asked[0][1], "/api/v1/jobs?limit=1000&after=0&user=a%26b&site=east")

    def test_queue_reads_page_after_page(self):
        Daemon.jobs = [{**JOB, "id": f"east/{n}"} for n in range(2500)]
        done = self.penstock("queue", "--all", "--json")
        self.assertEqual([job["id"] for job in json.loads(done.stdout)["jobs"]], [job["id"] for job in Daemon.jobs])
        self.assertEqual([path for _, path, _ in Daemon.asked],
                         [f"/api/v1/jobs?limit=1000&after={n}" for n in (0, 1000, 2000)] + ["/api/v1/ended?hours=24&limit=500"])

    def test_jobs_that_have_ended_were_forgotten_within_a_poll(self):
        Daemon.jobs = [{**JOB, "state": "ended"}]
        Daemon.ended = [ENDED]
        self.assertEqual(json.loads(self.penstock("queue", "--json").stdout), {"total": 0, "jobs": []})
        self.assertEqual(json.loads(self.penstock("queue", "--all", "--json").stdout), {"total": 1, "jobs": [ENDED]})
        done = self.penstock("queue", "--all", "--hours", "72")
        head, row = done.stdout.splitlines()
        self.assertEqual(head.split()[10:], ["END_UTC", "ENERGY_KWH", "COST_EUR", "WHY"])
        self.assertEqual(row.split(), ["east/9", "timeout", "ada", "res?[31mnet", "gpu", "2/4", "1200", "n1,n2", "03-01", "00:00:00", "03-01", "00:05:00",
                                       "03-01", "01:00:00", "0.5", "0.125", "power", "is", "cheap"])
        self.assertEqual(done.stderr, "note: ended jobs are those of the last 72 h; possible: --hours N, and penstock explain JOB for any that the "
                                      "journal knows\n")
        Daemon.more = True
        self.assertIn("last 24 h, of which the latest 500; possible", self.penstock("queue", "--all").stderr)
        self.refused(self.penstock("queue", "--all", "--hours", "0"), "--hours")

    def test_a_job_that_was_put_back_into_the_queue_is_shown_once(self):
        Daemon.ended = [{**ENDED, "id": JOB["id"]}]
        self.assertEqual(json.loads(self.penstock("queue", "--all", "--json").stdout), {"total": 1, "jobs": [JOB]})

    def test_jobs_came_in_the_order_of_their_names(self):
        def job(number, state, submitted):
            return {**JOB, "id": f"east/{number}", "state": state, "submitted": f"2026-03-01T0{submitted}:00:00Z"}
        Daemon.jobs = [job(10, "queued", 2), job(11, "running", 3), job(12, "queued", 1), job(8, "starting", 4), job(9, "queued", 2)]
        Daemon.ended = [{**ENDED, "ended": "2026-03-01T02:00:00Z", "id": "east/1"}, {**ENDED, "ended": "2026-03-01T03:00:00Z", "id": "east/2"}]
        rows = self.penstock("queue", "--all").stdout.splitlines()[1:]
        self.assertEqual([row.split()[0] for row in rows], [f"east/{n}" for n in (11, 8, 12, 9, 10, 2, 1)])

    def test_a_long_name_made_every_row_long(self):
        Daemon.jobs = [{**JOB, "name": "n" * 200, "nodes": [f"node{i}" for i in range(100)]}]
        row = self.penstock("queue").stdout.splitlines()[1]
        self.assertIn("n" * 24 + "\u2026 ", row)
        self.assertLess(len(row), 220)

    def test_an_empty_queue_says_so(self):
        Daemon.jobs = []
        self.assertEqual(self.penstock("queue").stderr, "no jobs\n")

    def test_json_is_what_the_daemon_said(self):
        done = self.penstock("queue", "--json")
        self.assertEqual(json.loads(done.stdout), {"total": 1, "jobs": [JOB]})
        self.assertTrue(done.stdout.isascii())

    def test_explain_tells_the_life_of_a_job(self):
        done = self.penstock("explain", "east/12")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("the price fell", done.stdout)
        self.assertNotIn("\x1b", done.stdout)
        self.assertEqual(json.loads(self.penstock("explain", "12", "--json").stdout)["life"], LIFE)

    def test_explain_of_an_ended_job_had_no_bill(self):
        head = dict(line.split(None, 1) for line in self.penstock("explain", "9").stdout.split("\n\n")[0].splitlines())
        self.assertEqual([head.get(key) for key in ("outcome", "runs", "wait_s", "run_s", "energy_j", "cost", "currency", "carbon_g", "predicted_cost")],
                         ["timeout", "2", "300", "3300", "1.8e+06", "0.125", "EUR", "12.5", None])

    def test_jobs_that_are_unknown_or_hostile_are_refused(self):
        self.refused(self.penstock("explain", "77"), "the daemon: there is no job ?]0;owned?here")
        self.penstock("explain", "../../x y")
        self.assertEqual(Daemon.asked[-1][1], "/api/v1/jobs/../..%2Fx%20y")
        self.refused(self.penstock("explain", "garbage"), "is it a Penstock daemon?")


class Acting(WithDaemon):
    def test_cancel_pause_and_resume(self):
        self.assertEqual(self.with_token("cancel", "east/12").stdout, "east/12: will be cancelled\n")
        self.assertEqual(self.with_token("pause", "--reason", "fans").stdout, "paused\n")
        self.assertEqual(self.with_token("resume").stdout, "resumed\n")
        self.assertEqual(Daemon.asked, [("POST", "/api/v1/jobs/east/12/cancel", {}), ("POST", "/api/v1/pause", {"reason": "fans"}),
                                        ("POST", "/api/v1/resume", {})])
        self.refused(self.with_token("cancel", "99"), "the daemon: there is no job 99")

    def test_without_the_token_it_says_what_is_missing(self):
        self.refused(self.penstock("cancel", "12"), "a token is needed", "--token-file FILE or PENSTOCK_TOKEN_FILE")
        other = self.folder / "other"
        other.write_text("another-horse-battery")
        other.chmod(0o600)
        self.refused(self.penstock("cancel", "12", token=other), "the token is wrong", str(other))
        self.refused(self.penstock("cancel", "12", token=self.folder / "none"), "none: No such file")
        other.chmod(0o644)
        self.refused(self.penstock("cancel", "12", token=other), "chmod 600")
        self.assertEqual(len(Daemon.asked), 2)

    def test_submit_sends_the_script_and_what_is_said_of_it(self):
        (self.folder / "train.sh").write_text("#!/bin/bash\necho $1\n")
        done = self.with_token("submit", "--profile", "resnet50", "--gpus", "1-8", "--deadline", "6h", "--priority", 3, "--grace", "2m",
                               "--checkpoint", "--partition", "gpu", "--site", "east", "train.sh", "--gpus", "it's")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "submitted east/13\n", ""))
        self.assertEqual(Daemon.asked[0][2], {
            "script": "#!/bin/bash\nset -- '--gpus' 'it'\\''s'\necho $1\n", "work_dir": str(self.folder), "name": "train.sh", "partition": "gpu",
            "site": "east", "profile": "resnet50", "deadline": "6h", "priority": "3", "checkpoint": True, "grace": "2min",
            "gpus": 1, "gpus_least": 1, "gpus_most": 8})

    def test_arguments_reach_the_script_as_they_are(self):
        (self.folder / "show.sh").write_text('#!/usr/bin/env bash\nprintf "%s|" "$@"\n')
        hostile = ["a b", "$(id)", "it's", "`x`", "new\nline", "--", "\\"]
        self.with_token("submit", "show.sh", *hostile)
        shown = subprocess.run(["bash", "-c", Daemon.asked[0][2]["script"]], capture_output=True, text=True, check=True, timeout=60)
        self.assertEqual(shown.stdout, "".join(word + "|" for word in hostile))

    def test_submit_refuses_before_it_asks(self):
        (self.folder / "a.py").write_text("#!/usr/bin/python3\n")
        (self.folder / "plain").write_text("echo\n")
        self.refused(self.with_token("submit"), "SCRIPT is missing")
        self.refused(self.with_token("submit", "none.sh"), "none.sh")
        self.refused(self.with_token("submit", "plain"), "must begin with #!")
        self.refused(self.with_token("submit", "a.py", "x"), "only scripts for a shell", "--sbatch")
        self.refused(self.with_token("submit", "--gpus", "8-1", "a.py"), "gpus='8-1' is not possible")
        self.refused(self.with_token("submit", "--profile", "a b", "a.py"), "profile: 'a b' is no word")
        self.refused(self.with_token("submit", "--gpuz", "8", "a.py"), "there is no option '--gpuz'")
        self.assertEqual(Daemon.asked, [])
        self.assertEqual(self.with_token("submit", "a.py").returncode, 0)


class Sbatch(WithDaemon):
    def sbatch(self, *arguments):
        """What the user's sbatch was called with."""
        folder = self.folder / "bin"
        folder.mkdir(exist_ok=True)
        (folder / "sbatch").write_text('#!/bin/bash\nprintf "%s\\0" "$@"\nexit 7\n')
        (folder / "sbatch").chmod(0o755)
        done = self.penstock("submit", "--sbatch", *arguments, PATH=f"{folder}:{os.environ['PATH']}")
        self.assertEqual((done.returncode, done.stderr), (7, ""))
        return done.stdout.split("\0")[:-1]

    def test_sbatch_gets_the_comment_and_the_users_own_words(self):
        self.assertEqual(self.sbatch("--profile", "resnet50", "--gpus", "1-8", "--deadline", "6h", "--", "--time=1:00", "-p", "gpu", "t.sh", "$(id)"),
                         ["--comment=penstock: profile=resnet50 gpus=1-8 deadline=6h", "--gpus=1", "--time=1:00", "-p", "gpu", "t.sh", "$(id)"])
        self.assertEqual(self.sbatch("--gpus", "2", "--name", "x", "t.sh", "--gpus", "9"), ["--comment=penstock: gpus=2", "--job-name=x", "--gpus=2", "t.sh", "--gpus", "9"])
        self.assertEqual(self.sbatch("--gpus", "2-4", "--", "--gres=gpu:4", "t.sh"), ["--comment=penstock: gpus=2-4", "--gres=gpu:4", "t.sh"])
        self.assertEqual(self.sbatch("t.sh"), ["t.sh"])
        self.assertEqual(Daemon.asked, [])

    def test_no_sbatch_is_said_plainly(self):
        self.refused(self.penstock("submit", "--sbatch", "t.sh", PATH="/nowhere"), "cannot run sbatch: No such file")
        self.refused(self.penstock("submit", "--sbatch", "--site", "east", "t.sh"), "--site is for the daemon")


class NoDaemon(WithDaemon):
    def test_one_clear_message_when_nobody_answers(self):
        self.server.shutdown()
        self.server.server_close()
        (self.folder / "t.sh").write_text("#!/bin/sh\n")
        for command in (["queue"], ["explain", "1"], ["cancel", "1"], ["pause"], ["resume"], ["submit", "t.sh"]):
            with self.subTest(command=command):
                done = self.with_token(*command)
                self.refused(done, f"no daemon answers at {self.url}", "penstock serve", "--daemon or PENSTOCK_DAEMON")
                self.assertEqual(len(done.stderr.splitlines()), 1)
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Daemon)
        threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True).start()

    def test_an_address_that_is_none_is_refused(self):
        for url in ("ftp://x", "127.0.0.1:7323", "http://", "http://a b", "http://x:99999", "http://x/y"):
            with self.subTest(url=url):
                self.refused(self.penstock("queue", "--daemon", url), "is no address of a daemon; possible: http://127.0.0.1:7323")

    def test_help_says_what_is_expected_and_what_happens_without_it(self):
        for command, words in {"pause": ["serve.fail_open_after", "--token-file", "somebody asked for it"], "resume": ["held and started"],
                               "savings": ["POLICY:OPTION=VALUE", "fifo:backfill=easy", "--former priority:backfill=conservative"]}.items():
            text = " ".join(self.penstock(command, "--help").stdout.split())
            for word in words:
                self.assertIn(word, text)

    def test_help_has_examples(self):
        for command in "queue explain cancel pause resume submit".split():
            self.assertIn(f"penstock {command}", self.penstock(command, "--help").stdout.split("Example", 1)[1])


if __name__ == "__main__":
    main()
