#!/usr/bin/env python3
"""Every request of penstock-slurm, answered by a real Slurm. requests_test.py [FOLDER OF THE PROGRAMS]"""
import os
import unittest

import bridge
import patient
from bridge import Bridge, Refused
from slurm_cluster import Cluster, wait_for

bridge.require()
SLEEP = "#!/bin/sh\nexec sleep 1000\n"
HOSTILE = ["two\nlines", "\"quoted\" 'twice' \\", "grün 数 \U0001f600", "; rm -rf / $(id) `id` %s%n", "x" * 10_000, "tab\tbell\a"]


def setUpModule():
    global cluster, slurm
    cluster = Cluster("east", lua=bridge.LUA, power=True, partitions=("main", "free"),
                      files={"penstock_partitions.conf": "# ours\nmain\n"}).up()
    slurm = Bridge(cluster)


def tearDownModule():
    slurm.close()
    cluster.down()


def sbatch(*options, script="exec sleep 1000"):
    return int(cluster.run("sbatch", "--parsable", "-o", "/dev/null", *options, "--wrap", script))


def held_by(job):
    """GPU indices by node, as Slurm gave them."""
    return {one["node"]: (one["type"], one["indices"]) for one in job["gpus_held"]}


def node(name):
    return next(one for one in slurm.ask("nodes")["nodes"] if one["name"] == name)


def update_when_it_can(job, **fields):
    """Again and again while a requeued job still completes."""
    def is_done():
        try:
            return slurm.ask("update", job=job, **fields)
        except Refused as refused:
            if refused.code != "try_again":
                raise
            return None
    return wait_for(is_done, "the update is taken")


class Bridged(unittest.TestCase):
    def tearDown(self):
        for job in slurm.ask("jobs")["jobs"]:
            if job["state"] in ("pending", "running"):
                slurm.ask("cancel", job=job["ref"])
        wait_for(lambda: all(one["gpus"][0]["used"] == 0 for one in slurm.ask("nodes")["nodes"]), "all GPUs are free")

    def assertRefused(self, code, do, **fields):
        with self.assertRaises(Refused) as caught:
            slurm.ask(do, **fields)
        self.assertEqual(caught.exception.code, code, caught.exception)
        return caught.exception.text


class Looking(Bridged):
    def test_hello_names_protocol_version_and_cluster(self):
        hello = slurm.ask("hello", protocol=1)
        self.assertEqual((hello["protocol"], hello["cluster"], hello["user"]), (1, "east", "root"))
        self.assertRegex(hello["slurm"], r"^\d+\.\d+")
        self.assertRegex(hello["controller"], r"^[^:]+:\d+$")
        self.assertIn("2 is not spoken here; there is: 1", self.assertRefused("bad_request", "hello", protocol=2))

    def test_nodes_have_gpus_by_type_features_and_partitions(self):
        nodes = slurm.ask("nodes")["nodes"]
        self.assertEqual([one["name"] for one in nodes], cluster.nodes)
        self.assertEqual(nodes[4]["gpus"], [{"type": "v100", "total": 8, "used": 0, "used_indices": []}])
        self.assertEqual((nodes[0]["features"], nodes[0]["partitions"]), (["a100"], ["main", "free"]))

    def test_partitions_have_their_nodes(self):
        main, free = slurm.ask("partitions")["partitions"]
        self.assertEqual((main["name"], main["default"], main["up"], main["nodes"]), ("main", True, True, cluster.nodes))
        self.assertEqual((free["name"], free["default"]), ("free", False))

    def test_nothing_is_sent_again_when_nothing_has_changed(self):
        job = sbatch("-p", "main", "-J", "quiet")
        first = slurm.ask("jobs")
        self.assertIn(job, [one["job"] for one in first["jobs"]])
        unchanged = wait_for(lambda: slurm.ask("jobs", since=slurm.ask("jobs")["last_update"] + 2).get("unchanged"), "no change")
        self.assertTrue(unchanged)
        self.assertIn("jobs", slurm.ask("jobs", since=first["last_update"] - 10))

    def test_a_job_is_told_with_all_that_was_asked(self):
        job = slurm.job(sbatch("-p", "main", "-J", "all", "-N2", "--gpus-per-node=v100:3", "--gpu-freq=1200", "-t", "17",
                               "--comment", "penstock: gpus=1-8", "-D", "/", "-o", "/srv/%j.txt", "--no-requeue"))
        self.assertEqual({name: job[name] for name in ("name", "user", "partition", "state", "held", "gpus", "gpus_per_node", "gpu_type",
                                                       "clock_mhz", "time_limit_min", "comment", "work_dir", "std_out", "requeue", "node_count")},
                         {"name": "all", "user": "root", "partition": "main", "state": "pending", "held": True, "gpus": 6, "gpus_per_node": 3,
                          "gpu_type": "v100", "clock_mhz": 1200, "time_limit_min": 17, "comment": "penstock: gpus=1-8", "work_dir": "/",
                          "std_out": f"/srv/{job['job']}.txt", "requeue": False, "node_count": 2})

    def test_a_failed_job_has_its_exit_code(self):
        job = slurm.wait_for(sbatch("-p", "free", script="exit 7"), "failed")
        self.assertEqual((job["exit_code"], job["exit_signal"], job["reason"]), (7, 0, "exit_code"))
        self.assertGreaterEqual(job["ended"], job["started"])

    def test_whatever_users_write_comes_back_as_they_wrote_it(self):
        for text in HOSTILE:
            job = slurm.ask("submit", script=SLEEP, work_dir="/", hold=True, name=text[:1000], comment=text[:1000])["job"]
            slurm.ask("update", job=job, admin_comment=text)
            told = slurm.job(job)
            self.assertEqual((told["name"], told["comment"], told["admin_comment"]), (text[:1000], text[:1000], text))
            if len(text) > 1024:
                self.assertIn("too long", self.assertRefused("refused", "update", job=job, comment=text))


class Holding(Bridged):
    def test_jobs_of_governed_partitions_are_held_and_marked(self):
        job = slurm.job(sbatch("--gres=gpu:1"))  # main is the default
        self.assertEqual((job["state"], job["held"], job["admin_comment"]), ("pending", True, "penstock: held"))
        self.assertTrue(slurm.job(sbatch("-p", "free,main"))["held"])

    def test_jobs_of_other_partitions_are_left_alone(self):
        job = slurm.wait_for(sbatch("-p", "free", "--gres=gpu:1"), "running")
        self.assertEqual((job["held"], job["admin_comment"]), (False, ""))

    def test_jobs_that_their_owner_holds_are_not_marked(self):
        job = slurm.job(sbatch("--hold"))
        self.assertEqual((job["held"], job["admin_comment"]), (True, ""))

    def test_a_job_is_released_on_chosen_nodes_with_chosen_gpus_in_one_request(self):
        job = sbatch("--gres=gpu:1")
        slurm.ask("update", job=job, hold=False, nodes=["east-n2", "east-n5"], node_count=2, gpus_per_node=3, clock_mhz=1100)
        running = slurm.wait_for(job, "running")
        self.assertEqual(held_by(running), {"east-n2": ("a100", [0, 1, 2]), "east-n5": ("v100", [0, 1, 2])})
        self.assertEqual((running["nodes"], running["gpus"], running["clock_mhz"]), (["east-n2", "east-n5"], 6, 1100))
        self.assertEqual(node("east-n5")["gpus"], [{"type": "v100", "total": 8, "used": 3, "used_indices": [0, 1, 2]}])

    def test_hold_and_release_are_requests_of_their_own(self):
        job = sbatch()
        slurm.ask("release", job=job)
        slurm.wait_for(job, "running")
        waiting = sbatch("-p", "free", "--begin=now+1hour")
        slurm.ask("hold", job=waiting)
        self.assertTrue(slurm.job(waiting)["held"])

    def test_a_new_number_of_gpus_replaces_one_for_the_whole_job_and_keeps_its_type(self):
        for asked, kind in (("--gpus=4", "a100"), ("--gpus=v100:2", "v100")):
            job = sbatch(asked)
            slurm.ask("update", job=job, hold=False, nodes=["east-n1" if kind == "a100" else "east-n7"], node_count=1, gpus_per_node=3)
            self.assertEqual(list(held_by(slurm.wait_for(job, "running")).values()), [(kind, [0, 1, 2])])

    def test_gpus_by_task_cannot_be_changed(self):
        self.assertRefused("refused", "update", job=sbatch("-n2", "--gpus-per-task=1"), gpus_per_node=2)

    def test_many_fields_change_at_once(self):
        job = sbatch("-p", "free", "--begin=now+1hour", "-t", "10")
        slurm.ask("update", job=job, comment="c", admin_comment="a", priority=77, time_limit_min=20)
        told = slurm.job(job)
        self.assertEqual([told[name] for name in ("comment", "admin_comment", "priority", "time_limit_min")], ["c", "a", 77, 20])

    def test_one_task_of_an_array_is_released(self):
        job = slurm.ask("submit", script=SLEEP, work_dir="/", array="0-2", gpus_per_node=1, std_out="/dev/null")["job"]
        slurm.ask("update", job=f"{job}_1", hold=False, nodes=["east-n8"])
        task = slurm.wait_for(f"{job}_1", "running")
        self.assertEqual((task["nodes"], task["ref"]), (["east-n8"], f"{job}_1"))
        tasks = [one for one in slurm.ask("jobs")["jobs"] if one["array_job"] == job]
        self.assertEqual({(one["array_task"], one["array_tasks"], one["held"]) for one in tasks}, {(1, None, False), (None, "0,2", True)})


class Changing(Bridged):
    def test_a_requeued_job_starts_at_once_elsewhere_with_more_gpus(self):
        job = sbatch("-p", "free", "--gres=gpu:2", "-w", "east-n1")
        slurm.wait_for(job, "running")
        slurm.ask("requeue", job=job)
        update_when_it_can(job, start_now=True, nodes=["east-n6", "east-n7"], node_count=2, gpus_per_node=8)
        running = slurm.wait_for(job, "running", restarts=1)
        self.assertEqual(held_by(running), {"east-n6": ("v100", [*range(8)]), "east-n7": ("v100", [*range(8)])})

    def test_a_job_is_requeued_and_held(self):
        job = sbatch("-p", "free")
        slurm.wait_for(job, "running")
        slurm.ask("requeue", job=job, hold=True)
        self.assertTrue(slurm.wait_for(job, "pending", flags=[])["held"])
        update_when_it_can(job, hold=False, start_now=True)
        slurm.wait_for(job, "running", restarts=1)

    def test_the_batch_script_gets_the_signal_for_a_checkpoint(self):
        out = cluster.folder / "checkpoint"
        script = f"trap 'echo saved > {out}; exit 0' USR1; echo ready > {out}; while :; do sleep 0.05; done"
        job = sbatch("-p", "free", script=script)
        wait_for(lambda: out.exists() and out.read_text() == "ready\n", "the script runs")
        slurm.ask("signal", job=job, signal="SIGUSR1")
        slurm.wait_for(job, "completed")
        self.assertEqual(out.read_text(), "saved\n")

    def test_a_running_job_is_not_placed_elsewhere(self):
        job = sbatch("-p", "free")
        slurm.wait_for(job, "running")
        self.assertRefused("not_pending", "update", job=job, nodes=["east-n1"])
        slurm.ask("update", job=job, comment="but this can be said")

    def test_a_cancelled_job_is_gone(self):
        job = sbatch("-p", "free")
        slurm.ask("cancel", job=job)
        slurm.wait_for(job, "cancelled")
        self.assertRefused("already_done", "cancel", job=job)
        for do in ("cancel", "hold", "release", "requeue", "signal", "jobs"):
            self.assertRefused("no_such_job", do, job=999_999)

    def test_a_job_is_submitted_with_its_environment(self):
        out = cluster.folder / "said"
        variables = {"GREETING": "it's \"me\"\n$HOME"}
        said = slurm.ask("submit", script="#!/bin/sh\nprintf %s \"$GREETING\"\n", work_dir=str(cluster.folder), std_out=str(out), env=variables,
                         partition="free", name="greeter", gpus=1, gpu_type="v100", time_limit_min=5, memory_mb=64, cpus=2)
        job = slurm.wait_for(said["job"], "completed")
        self.assertEqual(out.read_text(), variables["GREETING"])
        self.assertEqual((job["name"], job["partition"], job["gpus"], job["time_limit_min"], job["cpus"]), ("greeter", "free", 1, 5, 2))

    def test_what_slurm_cannot_submit_is_refused_with_its_words(self):
        self.assertIn("partition", self.assertRefused("refused", "submit", script=SLEEP, work_dir="/", partition="nowhere"))


class AtOnce(Bridged):
    """Requests that are sent without waiting for answers are carried out several at a time, and nobody can tell."""

    def answers_to(self, requests):
        first = slurm.last + 1
        for request in requests:
            slurm.send(**request)
        slurm.process.stdin.flush()
        answers = [slurm.answers.get(timeout=60) for _ in requests]
        self.assertEqual([answer["id"] for answer in answers], [*range(first, slurm.last + 1)])
        self.assertEqual([answer for answer in answers if not answer["ok"]], [])
        return answers

    def held_jobs(self, count):
        submit = {"do": "submit", "script": SLEEP, "work_dir": "/", "std_out": "/dev/null", "hold": True, "gpus_per_node": 1}
        return [answer["job"] for answer in self.answers_to([submit] * count)]

    def test_requests_about_the_same_job_keep_their_order(self):
        jobs = self.held_jobs(20)
        requests = []
        for turn in range(15):
            requests += [{"do": "update", "job": job, "admin_comment": f"{turn} of {job}", "nodes": [cluster.nodes[turn % 8]]} for job in jobs]
            requests += [{"do": "jobs", "job": job} for job in jobs]
        looks = [answer["jobs"][0] for answer in self.answers_to(requests) if "jobs" in answer]
        self.assertEqual([(look["job"], look["admin_comment"], look["required_nodes"]) for look in looks],
                         [(job, f"{turn} of {job}", [cluster.nodes[turn % 8]]) for turn in range(15) for job in jobs])

    def test_a_poll_shows_all_that_was_asked_before_it_and_nothing_that_was_asked_after(self):
        jobs = self.held_jobs(30)
        requests = []
        for turn in range(10):
            requests += [{"do": "update", "job": job, "admin_comment": str(turn)} for job in jobs] + [{"do": "jobs"}]
        polls = [answer["jobs"] for answer in self.answers_to(requests) if "jobs" in answer]
        self.assertEqual([{one["admin_comment"] for one in poll if one["job"] in jobs} for poll in polls], [{str(turn)} for turn in range(10)])

    def test_a_poll_for_news_after_changes_tells_each_of_them_once(self):
        jobs = self.held_jobs(30)
        slurm.ask("jobs", news=True)
        changes = [{"do": "update", "job": job, "admin_comment": "new"} for job in jobs]
        answers = self.answers_to([*changes, {"do": "jobs", "news": True}, {"do": "jobs", "news": True}])
        self.assertEqual([sorted(one["job"] for one in answer["jobs"] if one["job"] in jobs) for answer in answers[-2:]], [jobs, []])

    def test_an_array_and_its_tasks_keep_their_order(self):
        array = slurm.ask("submit", script=SLEEP, work_dir="/", std_out="/dev/null", array="0-11", hold=True, gpus_per_node=1)["job"]
        tasks = [{"do": "update", "job": f"{array}_{task}", "admin_comment": f"task {task}"} for task in range(0, 12, 2)]
        self.answers_to([{"do": "update", "job": array, "admin_comment": "all"}, *tasks])
        told = {one["array_task"]: one["admin_comment"] for one in slurm.ask("jobs", job=array)["jobs"]}
        self.assertEqual(told, {None: "all", **{task: f"task {task}" for task in range(0, 12, 2)}})
        self.answers_to([*tasks, {"do": "update", "job": array, "admin_comment": "all again"}])
        self.assertEqual({one["admin_comment"] for one in slurm.ask("jobs", job=array)["jobs"]}, {"all again"})

    def test_many_jobs_are_released_on_their_nodes_at_once(self):
        jobs = self.held_jobs(40)
        where = {job: cluster.nodes[i % 8] for i, job in enumerate(jobs[:-8])} | {job: cluster.nodes[4 + i % 4] for i, job in enumerate(jobs[-8:])}
        self.answers_to([{"do": "update", "job": job, "hold": False, "nodes": [where[job]], "node_count": 1, "gpus_per_node": 1} for job in jobs])
        self.assertEqual({job: slurm.wait_for(job, "running")["nodes"] for job in jobs}, {job: [name] for job, name in where.items()})
        self.answers_to([{"do": "requeue", "job": job, "hold": True} for job in jobs])
        for job in jobs:
            update_when_it_can(job, start_now=True, hold=False, nodes=["east-n8"], node_count=1, gpus_per_node=2)
        self.assertEqual({one["gpus"] for one in slurm.ask("jobs")["jobs"] if one["job"] in jobs}, {2})

    def test_what_was_told_in_answer_to_one_question_is_told_again_in_the_next_poll(self):
        array = slurm.ask("submit", script=SLEEP, work_dir="/", std_out="/dev/null", array="0-2", hold=True)["job"]
        slurm.ask("update", job=f"{array}_1", admin_comment="apart")
        slurm.ask("jobs", news=True)
        self.assertEqual(len(slurm.ask("jobs", job=array)["jobs"]), 2)  # who asked may have taken in one of them
        again = [one["job"] for one in slurm.ask("jobs", news=True)["jobs"] if one["array_job"] == array]
        self.assertEqual(len(again), 2)
        self.assertEqual([one for one in slurm.ask("jobs", news=True)["jobs"] if one["array_job"] == array], [])


class Nodes(Bridged):
    def test_a_node_is_drained_and_comes_back(self):
        slurm.ask("drain", nodes=["east-n3"], reason="fan \"broken\"\n")
        self.assertEqual((node("east-n3")["flags"], node("east-n3")["reason"]), (["drain"], "fan \"broken\"\n"))
        job = sbatch("-p", "free", "-w", "east-n3")
        slurm.ask("resume", nodes=["east-n3"])
        self.assertEqual(slurm.wait_for(job, "running")["nodes"], ["east-n3"])
        self.assertRefused("no_such_node", "drain", nodes=["east-n99"], reason="x")

    def test_a_node_is_powered_down_and_up(self):
        slurm.ask("power_down", nodes=["east-n4"], reason="night")
        wait_for(lambda: "powered_down" in node("east-n4")["flags"], "the node is down")
        self.assertFalse(os.path.exists(cluster.folder / "run/slurmd-east-n4.pid"))
        slurm.ask("power_up", nodes=["east-n4"])
        wait_for(lambda: node("east-n4")["state"] == "idle" and not node("east-n4")["flags"], "the node is back")


if __name__ == "__main__":
    patient.main(bridge.BUILT)
