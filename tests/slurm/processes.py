"""Processes that belong to a cluster, whoever started them: found by what their environment says."""
import os
import pathlib
import signal
import threading
import time


def _fields(pid):
    """What /proc/PID/stat says after the name."""
    return pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()


def name_of(pid):
    """Tells this process from a later one of the same id."""
    return f"{pid} {_fields(pid)[19]}"


def is_alive(pid):
    try:
        return _fields(pid)[0] not in "ZX"
    except (FileNotFoundError, ProcessLookupError):
        return False


def is_alive_by_name(name):
    """Whether the process that was called this is still there."""
    try:
        return name_of(int(name.split()[0])) == name and is_alive(int(name.split()[0]))
    except (FileNotFoundError, ProcessLookupError, ValueError, IndexError):
        return False


def reap_when_done(child):
    """No zombie stays, whenever the child ends."""
    threading.Thread(target=child.wait, daemon=True).start()


def _others():
    return [int(entry) for entry in os.listdir("/proc") if entry.isdigit() and int(entry) != os.getpid()]


DAEMONS = ("munged", "slurmctld", "slurmscriptd", "slurmd", "slurmstepd")


def _serves(pid, conf):
    """A daemon or a job of the cluster. A shell whose user only looks at it is neither."""
    try:
        environment = pathlib.Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
        if f"SLURM_CONF={conf}".encode() not in environment:
            return False
        is_daemon = pathlib.Path(f"/proc/{pid}/comm").read_text().strip() in DAEMONS
        return is_daemon or any(line.startswith(b"SLURM_JOB_ID=") for line in environment)
    except OSError:
        return False


def _with_children(pids):
    """These and all that they started: a job's script may have cleaned its environment."""
    parents = {}
    for pid in _others():
        try:
            parents[pid] = int(_fields(pid)[1])
        except (OSError, IndexError):
            pass
    found = set(pids)
    while True:
        more = {pid for pid, parent in parents.items() if parent in found} - found
        if not more:
            return found
        found |= more


def children(parent):
    """Those that this process has started, and that live."""
    found = []
    for pid in _others():
        try:
            if int(_fields(pid)[1]) == parent and is_alive(pid):
                found.append(pid)
        except (OSError, IndexError):
            pass
    return found


def of(folder):
    """Daemons and jobs of the cluster in this folder, and what they started."""
    return {pid for pid in _with_children({pid for pid in _others() if _serves(pid, folder / "slurm.conf")}) if is_alive(pid)}


def end_of(folder, seconds=20):
    """Ends them all, at once: nobody needs what they might save."""
    patience = time.monotonic() + seconds
    while time.monotonic() < patience:
        left = of(folder)
        if not left:
            return
        for pid in left:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        time.sleep(0.02)
    raise RuntimeError(f"{folder}: these do not end: {sorted(of(folder))}")
