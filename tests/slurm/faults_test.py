#!/usr/bin/env python3
"""What can go wrong between Penstock and Slurm, and how the bridge lives through it. faults_test.py [FOLDER OF THE PROGRAMS]"""
import json
import signal
import subprocess
import time
import unittest

import bridge
import patient
from bridge import PROGRAM, Bridge, Refused
from slurm_cluster import Cluster

bridge.require()
# Lines that are no request, and a word that the answer must have.
BAD = [(b"", "JSON"), (b"{", "JSON"), (b"[]", "object"), (b"7", "object"), (b"\xff\xfe", "JSON"), (b'{"do":"hello"}', "id"), (b'{"id":[1],"do":"hello"}', "id"),
       (b'{"id":1}', "there are: hello jobs"), (b'{"id":1,"do":"sing"}', "'sing'"), (b'{"id":1,"do":["hello"]}', "do"),
       (b'{"id":1,"do":"hold"}', "job: is missing"), (b'{"id":1,"do":"hold","job":-1}', "job"), (b'{"id":1,"do":"hold","job":"1; rm"}', "job"),
       (b'{"id":1,"do":"hold","job":4294967296}', "job"), (b'{"id":1,"do":"hold","job":1,"jbo":2}', "jbo: is not known here"),
       (b'{"id":1,"do":"update","job":1,"nodes":["a[1-9]"]}', "nodes"), (b'{"id":1,"do":"update","job":1,"comment":"a\\u0000b"}', "zero byte"),
       (b'{"id":1,"do":"signal","job":1,"signal":"SIGBUS"}', "there are: SIGUSR1"), (b'{"id":1,"do":"drain","nodes":["n1"]}', "reason"),
       (b'{"id":1,"do":"submit","script":"no","work_dir":"here"}', "script: does not begin with #!; work_dir: does not begin with /"),
       (b"[" * 100_000, "JSON"), (b'{"id":1,"do":"hello","x":' + b"[" * 50_000 + b"]" * 50_000 + b"}", "x: is not known")]


def setUpModule():
    global east
    east = Cluster("east", nodes=2, jobcomp=bridge.HOOK).up()


def tearDownModule():
    east.down()


def listening(cluster):
    return Bridge(cluster, "--events", cluster.events)


def submit(to, script="#!/bin/sh\nexec sleep 1000\n", **fields):
    return to.ask("submit", script=script, work_dir="/", std_out="/dev/null", **fields)["job"]


class Lines(unittest.TestCase):
    def test_every_bad_line_gets_an_answer_that_tells_why(self):
        with Bridge(east) as slurm:
            for line, word in BAD:
                answer = slurm.say(line)
                self.assertEqual((answer["ok"], answer["error"]["code"]), (False, "bad_request"))
                self.assertIn(word, answer["error"]["text"], line[:80])
            self.assertEqual(slurm.ask("hello")["cluster"], "east")

    def test_a_line_without_end_is_not_kept(self):
        with Bridge(east) as slurm:
            self.assertIn("a line of more than", slurm.say(b"x" * (17 << 20))["error"]["text"])
            self.assertTrue(slurm.ask("hello")["ok"])

    def test_requests_may_be_sent_before_the_answers_are_read(self):
        with Bridge(east) as slurm:
            for _ in range(200):
                slurm.send("hello")
            slurm.process.stdin.flush()
            self.assertEqual([slurm.answers.get(timeout=60)["id"] for _ in range(200)], [*range(1, 201)])

    def test_it_ends_when_its_input_ends_and_answers_what_was_asked(self):
        done = subprocess.run([PROGRAM, "--conf", east.conf], input=b'{"id":"last","do":"hello"}', capture_output=True, timeout=60, check=True)
        self.assertEqual(json.loads(done.stdout)["id"], "last")

    def test_it_answers_all_that_was_asked_before_its_input_ended_in_order(self):
        # numbers that no array has modulo MaxJobCount: to the update of such a job Slurm says yes
        lines = [json.dumps({"id": i, "do": "release", "job": 915_000 + i} if i % 50 else {"id": i, "do": "jobs"}) for i in range(600)]
        done = subprocess.run([PROGRAM, "--conf", east.conf], input="\n".join(lines), capture_output=True, text=True, timeout=60, check=True)
        answers = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertEqual([answer["id"] for answer in answers], [*range(600)])
        self.assertEqual({answer["error"]["code"] for answer in answers if answer["id"] % 50}, {"no_such_job"})

    def test_it_ends_when_nobody_reads(self):
        process = subprocess.Popen([PROGRAM, "--conf", east.conf], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        process.stdout.close()
        process.stdin.write(b'{"id":1,"do":"hello"}\n')
        process.stdin.flush()
        self.assertEqual(process.wait(60), 0)
        process.stdin.close()

    def test_what_it_cannot_begin_with_is_told(self):
        for options, word in ((["--conf", "/nowhere/slurm.conf"], "cannot be read"), (["--sing"], "no option '--sing'"), (["--conf"], "needs a value"),
                              (["--conf", east.conf, "--events", east.conf], "in use, or no socket")):
            done = subprocess.run([PROGRAM, *options], input="", capture_output=True, text=True, timeout=60, check=False)
            self.assertEqual(done.returncode, 2)
            self.assertIn(word, done.stderr)


class Events(unittest.TestCase):
    def test_the_end_of_a_job_is_pushed(self):
        with listening(east) as slurm:
            job = submit(slurm, "#!/bin/sh\nexit 3\n")
            event = slurm.events.get(timeout=60)
            self.assertEqual([event[name] for name in ("event", "job", "state", "exit_code")], ["ended", job, "failed", 3])
            self.assertGreaterEqual(event["ended"], event["started"])

    def test_a_requeue_is_pushed_as_such(self):
        with listening(east) as slurm:
            job = submit(slurm)
            slurm.wait_for(job, "running")
            slurm.ask("requeue", job=job, hold=True)
            self.assertEqual(slurm.events.get(timeout=60)["event"], "requeued")
            slurm.wait_for(job, "pending", flags=[])  # earlier, the end of the job would not be told
            slurm.ask("cancel", job=job)
            self.assertEqual(slurm.events.get(timeout=60)["state"], "cancelled")

    def test_the_tasks_of_an_array_all_report(self):
        with listening(east) as slurm:
            array = submit(slurm, "#!/bin/sh\n", array="0-19")
            events = [slurm.events.get(timeout=60) for _ in range(20)]
            self.assertEqual({event.get("array_job") for event in events}, {array})
            self.assertEqual(sorted(event["array_task"] for event in events), [*range(20)])

    def test_only_one_bridge_listens_at_a_place(self):
        with listening(east) as first:
            first.ask("hello")
            second = subprocess.run([PROGRAM, "--conf", east.conf, "--events", east.events], input="", capture_output=True, text=True, timeout=60, check=False)
            self.assertEqual(second.returncode, 2)
            self.assertTrue(first.ask("hello")["ok"])
        self.assertFalse(east.events.exists())

    def test_without_a_bridge_jobs_end_all_the_same(self):
        with Bridge(east) as slurm:
            slurm.wait_for(submit(slurm, "#!/bin/sh\n"), "completed")


class Deaths(unittest.TestCase):
    def test_a_killed_bridge_is_replaced_by_another_that_sees_the_same(self):
        slurm = listening(east)
        job = submit(slurm, gpus_per_node=1)
        before = slurm.wait_for(job, "running")
        slurm.kill()
        with listening(east) as again:
            self.assertEqual(again.job(job), before)
            again.ask("cancel", job=job)
            self.assertEqual(again.events.get(timeout=60)["job"], job)

    def test_while_slurmctld_is_gone_it_says_so_and_then_works_again(self):
        with listening(east) as slurm:
            job = submit(slurm, gpus_per_node=1)
            slurm.wait_for(job, "running")
            east.stop_controller()  # by SIGKILL it would forget the job: Slurm saves only every few seconds
            for request in ({"do": "jobs"}, {"do": "release", "job": job}):
                with self.assertRaises(Refused) as caught:
                    slurm.ask(**request)
                self.assertEqual(caught.exception.code, "unreachable", caught.exception)
            self.assertTrue(east.start_controller())
            self.assertEqual(slurm.wait_for(job, "running")["gpus"], 1)
            slurm.ask("cancel", job=job)
            slurm.wait_for(job, "cancelled")

    def test_a_slurmctld_that_hangs_is_unreachable_too(self):
        with Bridge(east) as slurm:
            east.stop_controller(signal.SIGSTOP)
            with self.assertRaises(Refused) as caught:
                slurm.ask("nodes")
            self.assertEqual(caught.exception.code, "unreachable", caught.exception)
            self.assertTrue(east.start_controller())
            self.assertEqual(len(slurm.ask("nodes")["nodes"]), 2)

    def test_requests_about_different_jobs_wait_for_a_slurmctld_that_hangs_at_once(self):
        with Bridge(east) as slurm:
            jobs = [submit(slurm, hold=True) for _ in range(10)]
            east.stop_controller(signal.SIGSTOP)
            begun = time.monotonic()
            for job in jobs:
                slurm.send("update", job=job, admin_comment="late")
            slurm.process.stdin.flush()
            self.assertEqual([slurm.answers.get(timeout=60)["error"]["code"] for _ in jobs], ["unreachable"] * 10)
            self.assertLess(time.monotonic() - begun, 25)  # 5 s each: one after the other they would take 50
            self.assertTrue(east.start_controller())
            for job in jobs:
                slurm.ask("cancel", job=job)

    def test_a_bridge_that_starts_before_slurmctld_waits_for_it(self):
        east.stop_controller()
        with Bridge(east) as slurm:
            with self.assertRaises(Refused):
                slurm.ask("hello")
            self.assertTrue(east.start_controller())
            self.assertEqual(slurm.ask("hello")["cluster"], "east")


class Clusters(unittest.TestCase):
    def test_each_bridge_drives_its_own_cluster(self):
        with Cluster("west", nodes=1, gpus=["h100:2"]) as west, Bridge(east) as to_east, Bridge(west) as to_west:
            for slurm, name in ((to_east, "east"), (to_west, "west")):
                self.assertEqual(slurm.ask("hello")["cluster"], name)
                slurm.wait_for(submit(slurm, "#!/bin/sh\n", name=name, gpus_per_node=1), "completed", name=name)
            self.assertEqual([job["name"] for job in to_west.ask("jobs")["jobs"]], ["west"])


if __name__ == "__main__":
    patient.main(bridge.BUILT)
