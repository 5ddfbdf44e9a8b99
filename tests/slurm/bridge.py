"""Speaks to a penstock-slurm as the live backend does: requests go in, answers and events come out."""
import json
import os
import pathlib
import queue
import subprocess
import sys
import threading

import slurm_cluster

# libslurm keeps some memory until the end, which is no leak of ours
os.environ["ASAN_OPTIONS"] = ":".join(filter(None, [os.environ.get("ASAN_OPTIONS"), "detect_leaks=0"]))
ROOT = pathlib.Path(__file__).resolve().parents[2]


def _built():
    """The folder of the programs: the test's first argument, or the release build."""
    if len(sys.argv) > 1 and pathlib.Path(sys.argv[1]).is_dir():
        return pathlib.Path(sys.argv.pop(1)).resolve()
    return ROOT / "build/release"


BUILT = _built()
PROGRAM = BUILT / "penstock-slurm"
HOOK = BUILT / "penstock-jobcomp"
LUA = ROOT / "share/slurm/job_submit.lua"


def require():
    """Ends a test file, as passed, where there is no Slurm or no bridge."""
    slurm_cluster.require()
    if not PROGRAM.exists():
        print("skipped: penstock-slurm is not built, since libslurm-dev is not installed")
        sys.exit(0)


class Refused(Exception):
    def __init__(self, error):
        super().__init__(f"{error['code']}: {error['text']}")
        self.code, self.text = error["code"], error["text"]


class Bridge:
    def __init__(self, cluster, *options):
        self.process = subprocess.Popen([PROGRAM, "--conf", cluster.conf, *options], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.answers, self.events, self.last = queue.Queue(), queue.Queue(), 0
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()

    def _read(self):
        for line in self.process.stdout:
            said = json.loads(line)
            (self.events if "event" in said else self.answers).put(said)
        self.answers.put(None)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self.process.stdin.close()
        code = self.process.wait(30)
        self.reader.join()
        self.process.stdout.close()
        return code

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.reader.join()
        self.process.stdin.close()
        self.process.stdout.close()

    def say(self, line):
        """Any bytes as one line; what came back."""
        self.process.stdin.write(line + b"\n")
        self.process.stdin.flush()
        return self.answers.get(timeout=60)

    def send(self, do, **fields):
        """Sends without waiting for the answer."""
        self.last += 1
        self.process.stdin.write(json.dumps({"id": self.last, "do": do, **fields}).encode() + b"\n")

    def ask(self, do, **fields):
        self.last += 1
        answer = self.say(json.dumps({"id": self.last, "do": do, **fields}).encode())
        assert answer["id"] == self.last, answer
        if not answer["ok"]:
            raise Refused(answer["error"])
        return answer

    def job(self, job):
        """What Slurm says of a job (of the first task, if it is an array)."""
        return self.ask("jobs", job=job)["jobs"][0]

    def wait_for(self, job, state, **also):
        """Waits until a job is in a state, and what else is asked of it holds."""
        def is_so():
            now = self.job(job)
            return now if now["state"] == state and all(now[name] == value for name, value in also.items()) else None
        try:
            return slurm_cluster.wait_for(is_so, f"job {job} is {state} {also}", 40)
        except TimeoutError as late:
            raise TimeoutError(f"{late}: {self.job(job)}") from None
