#!/usr/bin/env python3
"""The daemon's modes, its pause, and how it never holds up users' jobs. live_modes_test.py [FOLDER OF THE PROGRAMS]"""
import re
import subprocess
import urllib.error
import urllib.request

import bridge
import patient
from daemon import Daemon
from live_case import Case, east, is_held, sbatch, state
from slurm_cluster import wait_for

setUpModule, tearDownModule = east.up, east.down
PEAK_WATTS = 400  # of an a100 in the catalogue, which a job without a profile is taken to draw
HOURS_AWAY = 'hours = ["{0:02}:00-{1:02}:00"]'


def without_events(daemon, poll=1):
    """The same one, deaf to the hook, which tells one bridge only."""
    text = re.sub("events = .*", "", daemon.config.read_text())
    daemon.config.write_text(text.replace('poll = "1 s"', f'poll = "{poll} s"'))
    return daemon


class Modes(Case):
    def test_in_shadow_slurm_runs_the_jobs_and_what_would_be_done_is_written(self):
        with self.daemon(mode="shadow") as daemon:
            jobs = [sbatch(seconds=0.3) for _ in range(3)]
            ended = daemon.wait_for_ends(*jobs)
            self.assertEqual({detail["state"] for detail in ended}, {"completed"})
            self.assertLessEqual(set(daemon.verbs()), {"release"}, "what the lua held is let go, and nothing else is ordered")
            would = [each for each in daemon.get("decisions")["decisions"] if each["state"] == "would"]
            self.assertGreaterEqual({each["job"] for each in would}, set(jobs))
            self.assertIn("would start on east-n", would[0]["text"])
            self.assertIn("fifo", would[0]["reason"])
            self.assertEqual(daemon.why_not(), "the mode is shadow")
            self.assertIn(": fine: 8 GPUs", daemon.run("serve", "--check", daemon.config), "also beside a daemon")
            self.assertIn("would start", daemon.run("explain", jobs[0]))
            wait_for(lambda: daemon.get("jobs")["total"] == 0, "they are over")
            rows = {row["job"]: row for row in daemon.get("ended")["jobs"]}
            self.assertLessEqual(set(jobs), set(rows), "those that have ended are still shown")
            self.assertIn("completed", daemon.run("queue", "--all"))
            self.assertIn("energy_j", daemon.run("explain", jobs[0]))

    def test_in_shadow_a_short_job_is_billed_from_its_beginning_to_its_end(self):
        with without_events(self.daemon(mode="shadow"), poll=3) as daemon:
            jobs = [sbatch(seconds=seconds) for seconds in (1, 4, 7)]
            for ended in daemon.wait_for_ends(*jobs):
                [run] = ended["runs"]
                self.assertAlmostEqual(ended["energy_j"], PEAK_WATTS * (run["ended_ms"] - run["started_ms"]) / 1000, delta=1)
                self.assertAlmostEqual(ended["cost"], ended["energy_j"] / 3.6e6 * 0.2, places=9)

    def test_a_fence_lets_through_so_many_actions_a_minute(self):
        with self.daemon(mode="fenced", more="[fence]\nactions_per_minute = 2") as daemon:
            jobs = [sbatch() for _ in range(4)]
            daemon.wait_for_ends(*jobs[:2])
            wait_for(lambda: "2 actions were done within a minute" in daemon.life(jobs[3]), "the third is refused, and why")
            self.assertEqual(daemon.verbs().count("start"), 2)
            self.assertTrue(is_held(jobs[2]) and is_held(jobs[3]))
            self.assertEqual(east.run("squeue", "-h", "-j", jobs[2], "-o", "%r"), "JobHeldUser", "as docs/operate.md says")
            self.assertEqual(daemon.run("serve", "--release", daemon.config), "east: 2 jobs are left to Slurm\n")
            daemon.wait_for_ends(*jobs)

    def test_a_fence_knows_users_and_partitions_and_leaves_the_rest_to_slurm(self):
        with self.daemon(mode="fenced", more='[fence]\nusers = ["nobody"]\npartitions = ["main"]') as daemon:
            mine, other = sbatch(seconds=0.2), sbatch("-p", "other", seconds=0.2)
            theirs = int(subprocess.run(["sbatch", "--parsable", "-o", "/dev/null", "--gres=gpu:1", "--wrap", "true"], env=east.environment, cwd="/",
                                        user="nobody", group="nogroup", extra_groups=[], capture_output=True, text=True, check=True).stdout)
            self.assertEqual(daemon.wait_for_ends(theirs)[0]["user"], "nobody")
            wait_for(lambda: state(mine) == "COMPLETED" and state(other) == "COMPLETED", "the others run")
            self.assertIn("start", daemon.verbs(theirs))
            self.assertEqual((daemon.verbs(mine), daemon.verbs(other)), (["release"], []))
            self.assertIn("its user 'root' is not one of fence.users", daemon.life(mine))

    def test_outside_its_hours_it_waits_and_then_leaves_jobs_to_slurm(self):
        hour = int(east.run("date", "-u", "+%H"))
        with self.daemon(mode="fenced", more="[fence]\n" + HOURS_AWAY.format((hour + 2) % 24, (hour + 4) % 24), serve='fail_open_after = "3 s"') as daemon:
            job = sbatch()
            wait_for(lambda: daemon.why_not() == "it is outside the hours of the fence", "it says so")
            daemon.wait_for_ends(job)
            self.assertEqual(daemon.verbs(job), ["release"])


class Pauses(Case):
    def test_only_who_has_the_token_pauses_it(self):
        with self.daemon() as daemon:
            address = f"http://127.0.0.1:{daemon.port}/api/v1/pause"
            for headers in ({}, {"Authorization": "Bearer wrong"}):
                with self.assertRaises(urllib.error.HTTPError) as caught:
                    urllib.request.urlopen(urllib.request.Request(address, b"{}", headers), timeout=10)
                self.assertEqual(caught.exception.code, 401)
                caught.exception.close()
            self.assertIn("--token-file", daemon.run("pause", token=False))
            wait_for(lambda: daemon.why_not() == "", "it acts")

    def test_what_was_not_started_during_a_pause_is_started_when_it_ends(self):
        with self.daemon() as daemon:
            self.wait_until_it_acts(daemon)
            daemon.run("pause", "--reason", "fans")
            job = sbatch()
            wait_for(lambda: "it is paused: fans" in daemon.run("queue"), "it is seen and not started")
            daemon.run("resume")
            daemon.wait_for_ends(job, seconds=20)
            self.assertIn("start", daemon.verbs(job))

    def test_a_pause_lasts_over_a_restart_and_fails_open_and_ends(self):
        with self.daemon(serve='fail_open_after = "6 s"') as daemon:
            self.assertEqual(daemon.run("pause", "--reason", "fans"), "paused\n")
            daemon.kill()
            daemon.start()
            self.assertIn("it is paused: fans", daemon.why_not())
            job = sbatch()
            wait_for(lambda: daemon.get("jobs")["total"] == 1, "it is seen")
            self.assertTrue(is_held(job), "for now it waits")
            daemon.wait_for_ends(job)
            self.assertEqual(daemon.verbs(job), ["release"])
            self.assertIn("jobs are left to Slurm's own scheduler", daemon.log())
            later = sbatch()
            daemon.wait_for_ends(later)
            self.assertNotIn("start", daemon.verbs(later))
            self.assertEqual(daemon.run("resume"), "resumed\n")
            again = sbatch()
            daemon.wait_for_ends(again)
            self.assertEqual(daemon.verbs(again), ["start"], "it holds and starts jobs again")


class Absence(Case):
    def test_a_daemon_that_is_gone_holds_up_no_new_job(self):
        alive = self.folder / "alive"
        self.holding(f"main\nalive={alive} 10\n")
        job = sbatch()
        wait_for(lambda: state(job) == "COMPLETED", "before its first beat nothing is held")
        with self.daemon(serve=f'heartbeat = "{alive}"') as daemon:
            wait_for(alive.exists, "the first beat")
            governed = sbatch()
            daemon.wait_for_ends(governed)
            self.assertEqual(daemon.verbs(governed), ["start"])
            daemon.kill()
            orphan = sbatch()
            self.assertTrue(is_held(orphan), "a moment of absence is not felt")
            alive.write_text(str(int(alive.read_text()) - 11))
            free = sbatch()
            wait_for(lambda: state(free) == "COMPLETED", "nobody is there to hold it for")
            for text in ("", "rubbish\n", "99999999999\n"):
                alive.write_text(text)
                each = sbatch()
                wait_for(lambda: state(each) == "COMPLETED", f"a beat of {text!r} is none")  # pylint: disable=cell-var-from-loop
            daemon.start()
            daemon.wait_for_ends(orphan)
            self.assertTrue(alive.exists())

    def test_what_is_held_can_be_let_go_without_a_daemon(self):
        daemon = self.daemon()
        job = sbatch()
        self.assertTrue(is_held(job))
        self.assertIn("serve.toml: fine: 8 GPUs at 1 site, policy fifo, mode live", daemon.run("serve", "--check", daemon.config))
        self.assertEqual(daemon.run("serve", "--release", daemon.config), "east: 1 jobs are left to Slurm\n")
        wait_for(lambda: state(job) == "COMPLETED", "it runs")

    def test_a_second_daemon_with_the_same_journal_is_refused(self):
        with self.daemon() as daemon:
            self.assertIn("another penstock serve has it", daemon.run("serve", daemon.config))

    def test_a_second_daemon_with_another_journal_only_looks_on_until_the_first_is_gone(self):
        with self.daemon() as first, without_events(Daemon(self.folder / "second", [(east, "")])) as second:
            wait_for(lambda: f"another penstock serve acts on this cluster: process {first.process.pid} " in second.why_not(), "it says whom it saw")
            wait_for(lambda: first.why_not() == "", "the first one acts")
            jobs = [sbatch() for _ in range(3)]
            first.wait_for_ends(*jobs)
            second.wait_for_ends(*jobs)
            self.assertEqual((first.verbs(), second.verbs()), (["start"] * 3, []))
            self.assertIn('"rival"', second.log())
            third = Daemon(self.folder / "third", [(east, "")])
            self.assertIn(f"note: another penstock serve acts on the cluster of 'east', and this one would only look on until that ends: process "
                          f"{first.process.pid} ", third.run("serve", "--check", third.config))
            first.kill()
            wait_for(lambda: second.why_not() == "", "nothing is left behind by the dead")
            job = sbatch()
            second.wait_for_ends(job)
            self.assertEqual(second.verbs(job), ["start"])

    def test_a_shadow_lets_go_nothing_that_is_held_for_one_who_acts(self):
        with self.daemon() as acting, without_events(Daemon(self.folder / "second", [(east, "")], mode="shadow")) as shadow:
            full = [sbatch(seconds=100, gpus=4) for _ in range(2)]
            wait_for(lambda: all(state(job) == "RUNNING" for job in full), "the cluster is full")
            waits = sbatch()
            wait_for(lambda: shadow.get("jobs")["total"] == 3, "the shadow sees it")
            self.assertTrue(is_held(waits))
            self.assertEqual((shadow.verbs(), acting.why_not(), shadow.why_not()), ([], "", "the mode is shadow"))

    def test_what_is_wrong_with_a_cluster_that_the_journal_knows_is_told(self):
        with self.daemon() as daemon:
            self.wait_until_it_acts(daemon)
        text = daemon.config.read_text()
        daemon.config.write_text(text.replace(str(east.conf), "/nowhere/slurm.conf"))
        self.assertIn("serve.toml: site 'east': its cluster does not answer: the bridge ended with code 2: penstock-slurm: /nowhere/slurm.conf: "
                      "cannot be read\n", daemon.run("serve", "--check", daemon.config))
        daemon.config.write_text(text.replace('poll = "1 s"', 'partitions = ["mian"]'))
        self.assertIn("slurm.partitions: there is no partition 'mian'; there are: main other; did you mean 'main'?\n",
                      daemon.run("serve", "--check", daemon.config))

    def test_a_configuration_with_mistakes_is_refused(self):
        daemon = self.daemon(serve='hartbeat = "x"', mode="bold")
        text = daemon.run("serve", "--check", daemon.config)
        self.assertIn("hartbeat", text)
        self.assertIn("bold", text)


class Commands(Case):
    def test_the_commands_work_against_the_daemon(self):
        with self.daemon() as daemon:
            script = self.folder / "job.sh"
            script.write_text("#!/bin/sh\nsleep 100\n")
            said = daemon.run("submit", "--gpus", 2, "--name", "mine", script)
            self.assertRegex(said, r"east/\d+")
            job = int(said.split("east/")[1].split()[0])
            wait_for(lambda: state(job) == "RUNNING", "it runs")
            wait_for(lambda: "running" in daemon.run("queue"), "the queue shows it")
            self.assertIn("mine", daemon.run("queue"))
            self.assertIn("runs on east-n", daemon.run("explain", f"east/{job}"))
            self.assertIn("will be cancelled", daemon.run("cancel", job))
            self.assertEqual(daemon.wait_for_ends(job)[0]["state"], "cancelled")
            self.assertIn("cancel", daemon.run("explain", job))
            self.assertIn("no job '99999'", daemon.run("explain", 99999))
            self.assertIn("no job", daemon.run("cancel", 99999))
            for what in ("submitted", "start", "confirmed", "runs", "cancel", "ended"):
                self.assertRegex(daemon.log(), f'"what":"{what}","site":"east","job":{job},"user":"root","text":')

    def test_a_job_without_a_time_limit_has_the_partitions_as_with_sbatch(self):
        self.addCleanup(east.run, "scontrol", "update", "PartitionName=other", "DefaultTime=UNLIMITED")
        east.run("scontrol", "update", "PartitionName=other", "DefaultTime=17")
        with self.daemon() as daemon:
            script = self.folder / "job.sh"
            script.write_text("#!/bin/sh\nsleep 100\n")
            jobs = [int(daemon.run("submit", "--partition", "other", "--gpus", 1, script).split("east/")[1]), sbatch("-p", "other", seconds=100)]
            wait_for(lambda: all(state(job) == "RUNNING" for job in jobs), "they run")
            self.assertEqual([east.run("squeue", "-h", "-j", job, "-o", "%l") for job in jobs], ["17:00", "17:00"])


if __name__ == "__main__":
    patient.main(bridge.BUILT)
