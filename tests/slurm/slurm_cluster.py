#!/usr/bin/env python3
"""A real Slurm with fake GPUs on this machine, from nothing, in a folder of its own.

    with Cluster("east") as east:                 in tests
        east.run("sbatch", ...)
    slurm_cluster.py up FOLDER [--name N] [--nodes N] [--gpus a100:4,v100:8]
    slurm_cluster.py down FOLDER                  by hand

Several clusters run side by side: each has its own ports, key and munged. However the test ends, also by
kill -9, a guard that waits for the end of its owner stops every daemon and job; should the guard die too, the
next cluster that comes up clears away what it finds without an owner.
"""
import argparse
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

import processes
from slurm_conf import CONF, POWER, free_ports
from slurm_database import Database

NEEDED = ("munged", "slurmctld", "slurmd", "sbatch", "scontrol", "sinfo")
PARENT = pathlib.Path(tempfile.gettempdir()) / f"penstock-slurm-{os.getuid()}"
SECONDS_TO_START = 60


def why_not():
    """Why no Slurm can be started here; None if it can."""
    os.environ["PATH"] += ":/usr/sbin:/sbin"
    if any(shutil.which(program) is None for program in NEEDED):
        return "skipped: Slurm is not installed"
    if os.getuid() != 0:
        return "skipped: a Slurm of our own needs root"
    return None


def require():
    """Ends a test file with a plain word, as passed, where there is no Slurm, or where its own daemons cannot run (a
    sandbox may forbid it). With PENSTOCK_SLURM=required in the environment that is a failure."""
    reason = why_not() or why_not_up()
    if reason:
        print(reason)
        sys.exit(1 if os.environ.get("PENSTOCK_SLURM") == "required" else 0)


def why_not_up():
    try:
        with Cluster("probe", nodes=1):
            return None
    except (OSError, RuntimeError, AssertionError, subprocess.SubprocessError) as trouble:
        return f"skipped: Slurm is installed but does not come up here: {trouble}"


class Cluster:
    """A cluster of `nodes` machines `name`-n1 ..., the first of them with the first kind of `gpus`.

    jobcomp: the hook that slurmctld starts whenever a job ends; a copy of it reports to `events`. lua: the job_submit.lua to use. files: other
    files to lie beside slurm.conf, by name. power: nodes can be powered down and up. conf: further lines of slurm.conf. user: whose slurmctld is.
    database: has sacct, and accounts that may be operators.
    """

    def __init__(self, name="east", nodes=8, gpus=("a100:4", "v100:8"), folder=None, *, jobcomp=None, lua=None,
                 files=None, power=False, partitions=("main",), conf="", user="root", database=False):
        self.name, self.kinds, self.jobcomp, self.lua = name, gpus, jobcomp, lua
        self.files, self.power, self.partitions, self.extra, self.user = files or {}, power, partitions, conf, user
        self.nodes = [f"{name}-n{i + 1}" for i in range(nodes)]
        self.with_database, self.database = database, None
        self.kept = folder is not None  # by hand: nobody clears it away
        self.folder = pathlib.Path(folder).resolve() if folder else None
        self.guard = None

    def kind_of(self, node):
        """GPU type and count of a node."""
        kind, count = self.kinds[self.nodes.index(node) * len(self.kinds) // len(self.nodes)].split(":")
        return kind, int(count)

    @property
    def conf(self):
        return self.folder / "slurm.conf"

    @property
    def events(self):
        return self.folder / "events.sock"

    @property
    def environment(self):
        return {**os.environ, "SLURM_CONF": str(self.conf), "LC_ALL": "C.UTF-8"}

    def __enter__(self):
        return self.up()

    def __exit__(self, *_):
        self.down()

    def up(self):
        clear_ownerless()
        self._make_folder()
        try:
            for attempt in range(5):
                self._configure()
                if self._start():
                    return self
                processes.end_of(self.folder)
            raise RuntimeError(f"no Slurm came up in {self.folder}:\n{self.log('slurmctld')[-3000:]}")
        except BaseException:
            self.down()
            raise

    def down(self):
        if self.guard:
            self.guard.stdin.close()  # it ends the cluster and removes the folder
            self.guard.wait()
            self.guard = None
        else:
            end(self.folder)

    def run(self, *command, check=True, **options):
        """What a command of Slurm's prints, without the last newline."""
        done = subprocess.run([str(word) for word in command], env={**self.environment, **options.pop("env", {})},
                              capture_output=True, text=True, timeout=30, **options)
        if check and done.returncode != 0:
            raise RuntimeError(f"{command}: {done.stderr}")
        return done.stdout.rstrip("\n")

    def log(self, daemon):
        file = self.folder / "log" / f"{daemon}.log"
        return file.read_text(errors="replace") if file.exists() else ""

    def stop_controller(self, with_signal=signal.SIGTERM):
        """Ends slurmctld (SIGKILL: at once), or freezes it (SIGSTOP)."""
        pid = int((self.folder / "run/slurmctld.pid").read_text())
        os.kill(pid, with_signal)
        if with_signal != signal.SIGSTOP:
            wait_for(lambda: not processes.is_alive(pid), "slurmctld ends")

    def start_controller(self):
        """Starts slurmctld, or thaws it; true once it answers."""
        pid_file = self.folder / "run/slurmctld.pid"
        if pid_file.exists() and processes.is_alive(int(pid_file.read_text() or 0)):
            os.kill(int(pid_file.read_text()), signal.SIGCONT)
        else:
            self._daemon("slurmctld", "-D", "-f", self.conf)
        return wait_for(lambda: "is UP" in self.run("scontrol", "ping", check=False), "slurmctld answers", can_fail=True)

    def start_node(self, node):
        self._daemon("slurmd", "-D", "-N", node, "-f", self.conf)

    def stop_node(self, node):
        os.kill(int((self.folder / f"run/slurmd-{node}.pid").read_text()), signal.SIGKILL)

    def _make_folder(self):
        if self.kept:
            end(self.folder)
            self.folder.mkdir(parents=True)
        else:
            PARENT.mkdir(mode=0o755, exist_ok=True)
            self.folder = pathlib.Path(tempfile.mkdtemp(prefix=f"{self.name}-", dir=PARENT))
            (self.folder / "owner").write_text(processes.name_of(os.getpid()))
            self.guard = subprocess.Popen([sys.executable, __file__, "guard", self.folder], stdin=subprocess.PIPE,
                                          start_new_session=True)
        self.folder.chmod(0o755)
        for name in ("state", "spool", "log", "run", "dev", "munge"):
            (self.folder / name).mkdir(mode=0o755)
        for name in ("state", "log", "run"):
            shutil.chown(self.folder / name, self.user)
        (self.folder / "munge/key").write_bytes(os.urandom(1024))
        (self.folder / "munge/key").chmod(0o600)

    def _configure(self):
        ports = free_ports(len(self.nodes) + 1)
        host = socket.gethostname().split(".")[0]
        lines = [CONF.format(name=self.name, user=self.user, host=host, ctld_port=ports[0], folder=self.folder), self.extra]
        if self.with_database:
            self.database = Database(self, host)
            lines = [lines[0].replace("AccountingStorageType=accounting_storage/none\n", ""), self.database.lines(), self.extra]
        if self.jobcomp:
            hook = shutil.copy(self.jobcomp, self.folder)
            pathlib.Path(f"{hook}.conf").write_text(f"{self.events}\n")
            lines += [f"JobCompType=jobcomp/script\nJobCompLoc={hook}"]
        else:
            lines += [f"JobCompType=jobcomp/filetxt\nJobCompLoc={self.folder}/log/jobcomp.log"]
        if self.lua:
            shutil.copy(self.lua, self.folder / "job_submit.lua")
            lines += ["JobSubmitPlugins=lua"]
        if self.power:
            lines += [POWER.format(folder=self.folder)]
            self._write_power_programs()
        devices = self._fake_gpus()
        gres = ["AutoDetect=off"]
        for node, port in zip(self.nodes, ports[1:]):
            kind, count = self.kind_of(node)
            lines += [f"NodeName={node} NodeHostname={host} NodeAddr=127.0.0.1 Port={port} Sockets=2 CoresPerSocket=32 "
                      f"ThreadsPerCore=1 RealMemory=512000 Gres=gpu:{kind}:{count} Feature={kind} State=UNKNOWN"]
            gres += [f"NodeName={node} Name=gpu Type={kind} File={devices}{'0' if count == 1 else f'[0-{count - 1}]'}"]
        for i, partition in enumerate(self.partitions):
            lines += [f"PartitionName={partition} Nodes=ALL Default={'NO' if i else 'YES'} MaxTime=INFINITE State=UP"]
        self.conf.write_text("\n".join(lines) + "\n")
        (self.folder / "gres.conf").write_text("\n".join(gres) + "\n")
        (self.folder / "cgroup.conf").write_text("CgroupPlugin=cgroup/v1\nIgnoreSystemd=yes\n")
        for name, text in self.files.items():
            (self.folder / name).write_text(text)

    def _fake_gpus(self):
        """Slurm believes in a GPU only if it is a character device; where we may make none, terminals have to do."""
        for i in range(max(int(kind.split(":")[1]) for kind in self.kinds)):
            try:
                device = self.folder / f"dev/gpu{i}"
                if not device.exists():
                    os.mknod(device, 0o666 | 0o020000, os.makedev(1, 3))
            except OSError:
                return "/dev/tty"
        return f"{self.folder}/dev/gpu"

    def _write_power_programs(self):
        """slurmctld ends the process group of these programs, so a slurmd needs a session of its own; and it
        believes a node awake only if that booted in a later second than it was asked to."""
        me = f"#!/bin/sh\nexport SLURM_CONF={self.conf} PATH=/usr/sbin:/usr/bin:/sbin:/bin\nfor node in $(scontrol show hostnames \"$1\"); do\n"
        bodies = {"suspend": f"kill $(cat {self.folder}/run/slurmd-$node.pid)",
                  "resume": f"sleep 1; setsid -f slurmd -D -b -N $node -f {self.conf} </dev/null >/dev/null 2>&1"}
        for name, body in bodies.items():
            (self.folder / name).write_text(f"{me}{body}\ndone\n")
            (self.folder / name).chmod(0o755)

    def _start(self):
        munge = self.folder / "munge"
        if not (munge / "socket").exists():
            self._daemon("munged", "--foreground", "--force", f"--key-file={munge}/key", f"--socket={munge}/socket",
                         f"--pid-file={munge}/pid", f"--seed-file={munge}/seed")
            wait_for((munge / "socket").exists, "munged listens")
        if self.database:
            self.database.start(self._daemon, wait_for)
        if not self.start_controller():
            return False
        for node in self.nodes:
            (self.folder / "spool" / node).mkdir(exist_ok=True)
            self.start_node(node)
        return wait_for(self._all_idle, "all nodes are idle", can_fail=True)

    def _all_idle(self):
        return len(self.run("sinfo", "-h", "-N", "-t", "idle", "-p", self.partitions[0], check=False).split("\n")) == len(self.nodes) \
            and "idle" in self.run("sinfo", "-h", "-N", "-t", "idle", check=False)

    def _daemon(self, *command, env=None):
        with open(self.folder / "log" / f"{command[0]}.out", "ab") as out:
            child = subprocess.Popen([str(word) for word in command], env={**self.environment, **(env or {})}, stdin=subprocess.DEVNULL,
                                     stdout=out, stderr=out, start_new_session=True, cwd=self.folder)
        processes.reap_when_done(child)


def wait_for(question, what, seconds=SECONDS_TO_START, can_fail=False):
    """Asks until the answer is yes, and returns it."""
    end_of_patience = time.monotonic() + (10 if can_fail else seconds)
    while True:
        answer = question()
        if answer:
            return answer
        if time.monotonic() > end_of_patience:
            if can_fail:
                return answer
            raise TimeoutError(f"not within {seconds} s: {what}")
        time.sleep(0.02)


def end(folder):
    """Ends everything that runs in a cluster's folder, and removes it."""
    if folder and folder.exists():
        if not (folder / "slurm.conf").exists() and any(folder.iterdir()) and not (folder / "munge").exists():
            raise RuntimeError(f"{folder} is not the folder of a cluster")
        processes.end_of(folder)
        shutil.rmtree(folder, ignore_errors=True)


def clear_ownerless():
    """Ends the clusters of tests that were killed together with their guards."""
    for owner in PARENT.glob("*/owner"):
        try:
            if not processes.is_alive_by_name(owner.read_text()):
                end(owner.parent)
        except FileNotFoundError:
            pass  # another test clears it away just now


def guard(folder):
    """Waits until the owner closes our stdin, which also its death does."""
    for ignored in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(ignored, signal.SIG_IGN)
    sys.stdin.buffer.read()
    end(folder)


def main():
    parser = argparse.ArgumentParser(description="A real Slurm with fake GPUs, in a folder of its own.")
    parser.add_argument("do", choices=("up", "down", "guard"))
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--name", default="east")
    parser.add_argument("--nodes", type=int, default=8)
    parser.add_argument("--gpus", default="a100:4,v100:8")
    arguments = parser.parse_args()
    folder = arguments.folder.resolve()
    if arguments.do == "guard":
        return guard(folder)
    if arguments.do == "down":
        return end(folder)
    require()
    cluster = Cluster(arguments.name, arguments.nodes, arguments.gpus.split(","), folder).up()
    print(f"export SLURM_CONF={cluster.conf}")
    return None


if __name__ == "__main__":
    sys.exit(main())
