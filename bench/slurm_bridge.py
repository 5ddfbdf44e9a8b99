#!/usr/bin/env python3
"""What the bridge to Slurm costs, on a real Slurm: polls with 10 000 jobs, releases, updates, events.

slurm_bridge.py [FOLDER OF THE PROGRAMS] [JOBS]
"""
import os
import pathlib
import statistics
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "tests/slurm"))

import bridge  # noqa: E402
from slurm_cluster import Cluster, wait_for  # noqa: E402

JOBS = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000  # the folder has been taken off
SOME = min(200, JOBS // 6)
MANY = min(1000, JOBS - 6 * SOME)
ADVISED = "SchedulerParameters=defer,batch_sched_delay=0"  # docs/formats/bridge.md
SCRIPT = "#!/bin/sh\nexit 0\n"


def processor_ms(slurm, deed, times=5):
    """What one of them takes of the bridge's own processor time; the other half of the wait is slurmctld's and ours."""
    def spent():
        words = pathlib.Path(f"/proc/{slurm.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(words[11]) + int(words[12])) * 1000 / os.sysconf("SC_CLK_TCK")
    before = spent()
    for _ in range(times):
        deed()
    return f"{(spent() - before) / times:.0f} ms"


def median_ms(deed, times=5):
    """The median, and the longest, of some runs."""
    spent = []
    for _ in range(times):
        begun = time.perf_counter()
        deed()
        spent.append((time.perf_counter() - begun) * 1000)
    return f"{statistics.median(spent):.0f} ms (longest {max(spent):.0f})"


def rate(slurm, requests):
    """Answers a second when requests are sent one after the other without waiting."""
    begun = time.perf_counter()
    for request in requests:
        slurm.send(**request)
    slurm.process.stdin.flush()
    answers = [slurm.answers.get(timeout=120) for _ in requests]
    assert all(answer["ok"] for answer in answers), next(answer for answer in answers if not answer["ok"])
    return f"{len(requests) / (time.perf_counter() - begun):.0f} /s"


def submissions(count, **fields):
    return [{"do": "submit", "script": SCRIPT, "work_dir": "/", "std_out": "/dev/null", "hold": True, "gpus_per_node": 1,
             "comment": "penstock: profile=resnet50 gpus=1-8 deadline=6h", **fields} for _ in range(count)]


def measure_events(slurm):
    """Milliseconds from the last line of a job's script to its event here."""
    late = []
    for _ in range(10):
        stamp = pathlib.Path(f"{tempfile.gettempdir()}/penstock-bench-{time.time_ns()}")
        slurm.ask("submit", script=f"#!/bin/sh\ndate +%s%N > {stamp}\n", work_dir="/", std_out="/dev/null")
        slurm.events.get(timeout=60)
        late.append(time.time_ns() / 1e6 - int(stamp.read_text()) / 1e6)
        stamp.unlink()
    return f"{statistics.median(late):.0f} ms (longest {max(late):.0f})"


def measure_polls(slurm, jobs):
    print(f"poll of {len(jobs)} jobs, JSON read in Python included: {median_ms(lambda: slurm.ask('jobs'))}", flush=True)
    slurm.ask("jobs", news=True)
    print(f"poll for news when there are none: {median_ms(lambda: slurm.ask('jobs', news=True))}", flush=True)
    print(f"poll of all, the bridge's processor time: {processor_ms(slurm, lambda: slurm.ask('jobs'))}", flush=True)
    wait_for(lambda: slurm.ask("jobs", since=int(time.time()) + 2).get("unchanged"), "nothing changes")
    print(f"poll when nothing has changed: {median_ms(lambda: slurm.ask('jobs', since=int(time.time()) + 2))}", flush=True)
    print(f"poll of one job: {median_ms(lambda: slurm.ask('jobs', job=jobs[0]), 50)}", flush=True)
    print(f"poll of the nodes: {median_ms(lambda: slurm.ask('nodes'), 50)}", flush=True)


def measure_deeds(slurm, jobs, nodes):
    comments = [{"do": "update", "job": job, "admin_comment": "x"} for job in jobs[:SOME]]
    print(f"comments: {rate(slurm, comments)}", flush=True)
    placements = [{"do": "update", "job": job, "nodes": ["east-n5"], "node_count": 1, "gpus_per_node": 2} for job in jobs[SOME:2 * SOME]]
    print(f"placements: {rate(slurm, placements)}", flush=True)
    releases = [{"do": "release", "job": job} for job in jobs[2 * SOME:3 * SOME]]
    print(f"releases: {rate(slurm, releases)}", flush=True)
    print(f"releases with placement: {rate(slurm, placed_releases(jobs[3 * SOME:4 * SOME], nodes))}", flush=True)


def placed_releases(jobs, nodes):
    """As the daemon starts jobs."""
    return [{"do": "update", "job": job, "hold": False, "nodes": [nodes[i % len(nodes)]], "node_count": 1, "gpus_per_node": 1}
            for i, job in enumerate(jobs)]


def measure_busy(slurm, released, jobs, nodes):
    """Releases while Slurm starts and ends, on the same processors, the jobs that were released before."""
    slurm.wait_for(released, "completed")
    before = {job["job"] for job in slurm.ask("jobs")["jobs"] if job["state"] == "completed"}
    begun = time.perf_counter()
    done = rate(slurm, placed_releases(jobs, nodes))
    spent = time.perf_counter() - begun
    ended = sum(job["state"] == "completed" and job["job"] not in before for job in slurm.ask("jobs")["jobs"])
    print(f"{len(jobs)} releases with placement while Slurm starts jobs: {done}; jobs that ended meanwhile: {ended / spent:.0f} /s", flush=True)


def measure_full(slurm, jobs, nodes):
    """Releases into a cluster without a free GPU, as when Penstock fails open: Slurm starts none of the jobs meanwhile."""
    wait_for(lambda: all(job["held"] or job["state"] == "completed" for job in slurm.ask("jobs")["jobs"]), "all that was released has ended", 300)
    for node in nodes:
        gpus = 4 if int(node.rpartition("n")[2]) <= len(nodes) // 2 else 8
        slurm.wait_for(slurm.ask("submit", script="#!/bin/sh\nexec sleep 900\n", work_dir="/", std_out="/dev/null", nodes=[node], gpus_per_node=gpus)["job"], "running")
    print(f"releases while every GPU is busy: {rate(slurm, [{'do': 'release', 'job': job} for job in jobs[:SOME]])}", flush=True)
    print(f"releases with placement while every GPU is busy: {rate(slurm, placed_releases(jobs[SOME:2 * SOME], nodes))}", flush=True)


def held_jobs(slurm, count):
    """Submits them, and waits first until the cluster has shown that it runs jobs."""
    slurm.wait_for(slurm.ask("submit", script=SCRIPT, work_dir="/", std_out="/dev/null")["job"], "completed")
    slurm.events.get(timeout=60)
    print(f"submissions, held: {rate(slurm, submissions(count))}", flush=True)
    jobs = [job["job"] for job in slurm.ask("jobs")["jobs"] if job["held"]]
    assert len(jobs) == count
    return jobs


def measure_all():
    with Cluster("east", jobcomp=bridge.HOOK, conf="SlurmctldDebug=error") as cluster, \
            bridge.Bridge(cluster, "--events", cluster.events) as slurm:
        jobs = held_jobs(slurm, JOBS)
        print(f"end of a job's script to its event: {measure_events(slurm)}", flush=True)
        measure_polls(slurm, jobs)
        measure_deeds(slurm, jobs, cluster.nodes)
        measure_busy(slurm, jobs[2 * SOME], jobs[4 * SOME:4 * SOME + MANY], cluster.nodes)
        measure_full(slurm, jobs[4 * SOME + MANY:], cluster.nodes)


def measure_advised():
    with Cluster("east", jobcomp=bridge.HOOK, conf=f"SlurmctldDebug=error\n{ADVISED}") as cluster, \
            bridge.Bridge(cluster, "--events", cluster.events) as slurm:
        jobs = held_jobs(slurm, 4 * SOME + MANY)
        measure_deeds(slurm, jobs, cluster.nodes)
        measure_busy(slurm, jobs[2 * SOME], jobs[4 * SOME:], cluster.nodes)


def main():
    bridge.require()
    print(f"load of the machine: {os.getloadavg()[0]:.1f}")
    measure_all()
    print(f"with {ADVISED}:")
    measure_advised()


if __name__ == "__main__":
    main()
