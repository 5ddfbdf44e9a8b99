#!/usr/bin/env python3
"""penstock agent with a fake daemon and fake GPUs. agent_test.py PENSTOCK LIBRARY

What it sets, changes and resets is seen in the fake GPUs' own file, also after kill -9 of the worker, its guard, or both."""
import json
import os
import pathlib
import signal
import subprocess
import sys

from program import PROGRAM, ROOT, main, penstock

sys.path.insert(0, str(ROOT / "tests/agent"))
from agent_case import LONG, AgentCase, wait_for  # noqa: E402

LIBRARY = sys.argv.pop(1) if len(sys.argv) > 1 and ".so" in sys.argv[1] else str(ROOT / "build/release/fake_nvml/libnvidia-ml.so.1")
AgentCase.program, AgentCase.library = PROGRAM, LIBRARY


class Plans(AgentCase):
    def test_clocks_are_applied_changed_and_reset_when_the_job_ends(self):
        agent = self.start()
        self.daemon.set(1200, 907)
        self.wait_locks(1200, 900)
        wait_for(lambda: self.daemon.last()["applied"] == [{"index": 0, "clock_mhz": 1200}, {"index": 1, "clock_mhz": 900}], "not reported")
        self.assertEqual(self.daemon.reports[-1][0], "/api/v1/agents/n1")
        self.daemon.set(1005, 900)
        self.wait_locks(1005, 900)
        self.daemon.set(None, 900)
        self.wait_locks(None, 900)
        self.daemon.set()
        self.wait_locks(None, None)
        self.assertEqual(self.end(agent), 0)

    def test_reports_what_the_gpus_do(self):
        self.gpus.change({"busy.1": 1})
        self.daemon.set(None, 705)
        self.start("--site", "east")
        self.wait_locks(None, 705)
        count = len(self.daemon.reports)
        wait_for(lambda: len(self.daemon.reports) > count + 1, "no reports")
        report = self.daemon.last()
        self.assertEqual((report["node"], report["site"], report["problems"]), ("n1", "east", []))
        self.assertEqual(report["gpus"][0]["power_w"], 58)
        busy = report["gpus"][1]
        self.assertEqual((busy["clock_mhz"], busy["utilization"], busy["limit_w"]), (705, 1, 400))
        self.assertAlmostEqual(busy["power_w"], self.gpus.watts(1), places=2)
        before = busy["energy_j"]
        wait_for(lambda: self.daemon.last()["gpus"][1]["energy_j"] > before, "no energy was used")
        self.assertLessEqual(self.daemon.last()["gpus"][1]["energy_j"], self.gpus.joules(1))

    def test_ends_politely(self):
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            self.daemon.set(1200)
            agent = self.start()
            self.wait_locks(1200, None)
            agent.send_signal(number)
            self.assertEqual(agent.wait(LONG), 0)
            self.assertEqual((self.gpus.locks(), self.touched()), ([None, None], []))

    def test_a_daemon_that_is_gone_is_obeyed_no_longer_than_it_said_and_found_again(self):
        self.start()
        self.daemon.set(1200)
        self.wait_locks(1200, None)
        self.daemon.stop()
        self.wait_said("cannot be reached")
        self.wait_locks(None, None)
        self.assertIn("the plan is too old; every GPU is reset", self.said())
        self.daemon.start()
        self.wait_locks(1200, None)
        wait_for(lambda: "over: daemon" in self.said(), "it is not said that it is over")

    def test_a_daemon_that_cannot_be_reached_was_told_of_an_interval_late(self):
        self.daemon.stop()
        self.start(interval="50 min", patience="1 h")
        self.wait_said("cannot be reached; possible: to start penstock serve there, another --daemon")

    def test_nonsense_is_not_obeyed(self):
        self.start()
        self.daemon.set(1200)
        self.wait_locks(1200, None)
        self.daemon.plan = b'{"valid_s":30,"gpus":[{"index":0,"clock_mhz":"fast"}]}'
        self.wait_said("gpus[0].clock_mhz: must be a whole number from 0 to 20000")
        self.wait_locks(None, None)
        self.daemon.set(9000, 1)
        self.wait_locks(1410, 510)
        self.wait_said("GPU 0: 9000 MHz were asked for; 1410 is the most there is")
        self.daemon.plan = {"valid_s": 2, "gpus": [{"index": 7, "clock_mhz": 900}]}
        self.wait_locks(None, None)
        wait_for(lambda: "GPU 7: is in the plan, but there are only 0 to 1" in self.daemon.last()["problems"], "nobody complains")

    def test_the_token_is_shown_to_the_daemon_and_to_nobody_else(self):
        token = self.folder / "token"
        token.write_text("open-sesame\n")
        token.chmod(0o600)
        self.start("--token-file", token)
        wait_for(lambda: self.daemon.token == "Bearer open-sesame", "no token came")
        self.assertNotIn("sesame", self.said())

    def test_a_file_in_place_of_a_daemon(self):
        plan = self.folder / "plan.json"
        plan.write_text('{"valid_s":1,"gpus":[{"index":1,"clock_mhz":600}]}')
        self.start(source=["--plan", str(plan)])
        self.wait_locks(None, 600)
        plan.unlink()
        self.wait_said(f"{plan}: cannot be read")
        self.wait_locks(None, None)

    def test_by_power(self):
        self.start("--by", "power")
        self.daemon.set(705)
        wait_for(lambda: self.gpus.limit(0) == 200, "no limit")
        self.daemon.set()
        wait_for(lambda: self.gpus.limit(0) == 400, "the limit stays")

    def test_by_command_where_there_are_no_rights(self):
        command, told = self.folder / "set-clock", self.folder / "told"
        command.write_text(f'#!/bin/sh\necho "$@" >> {told}\n')
        command.chmod(0o755)
        self.gpus.set("fail.nvmlDeviceSetGpuLockedClocks", 4)
        self.daemon.set(1200)
        agent = self.start("--command", command)
        wait_for(lambda: told.exists() and told.read_text() == "0 1200\n", "not told")
        os.kill(self.worker(agent), signal.SIGKILL)
        wait_for(lambda: told.read_text().startswith("0 1200\n0 reset\n"), "not reset")

    def test_without_rights_it_says_so_and_goes_on(self):
        self.gpus.set("fail.nvmlDeviceSetGpuLockedClocks", 4)
        self.daemon.set(1200)
        self.start()
        self.wait_said("GPU 0: cannot be set by clock: Insufficient Permissions (NVML error 4); run as root, or give --command")
        wait_for(lambda: self.daemon.last()["problems"] and not self.daemon.last()["applied"], "nothing is reported")


class Dying(AgentCase):
    def apply(self, *options, **more):
        self.daemon.set(1200, 900)
        agent = self.start(*options, **more)
        self.wait_locks(1200, 900)
        return agent

    def test_the_worker_dies_and_its_guard_resets_and_starts_another(self):
        agent = self.apply()
        worker = self.worker(agent)
        self.daemon.set()
        os.kill(worker, signal.SIGKILL)
        self.wait_locks(None, None)
        self.wait_said("reset what the dead worker had set")
        self.daemon.set(1005)
        self.wait_locks(1005, None)
        self.assertNotEqual(self.worker(agent), worker)
        self.assertEqual(self.end(agent), 0)

    def test_the_guard_dies_and_the_worker_resets_and_ends(self):
        agent = self.apply()
        worker = self.worker(agent)
        agent.kill()
        agent.wait(LONG)
        self.wait_locks(None, None)
        wait_for(lambda: not pathlib.Path(f"/proc/{worker}").exists() or "Z" in pathlib.Path(f"/proc/{worker}/stat").read_text(), "it lives on")

    def test_both_die_and_the_next_resets(self):
        agent = self.apply()
        worker = self.worker(agent)
        os.kill(worker, signal.SIGSTOP)  # so that it cannot see its guard die
        agent.kill()
        os.kill(worker, signal.SIGKILL)
        agent.wait(LONG)
        self.assertEqual(self.gpus.locks(), [1200, 900])
        self.daemon.set()
        self.start()
        self.wait_locks(None, None)
        self.wait_said("resetting what an earlier agent left set")

    def test_many_deaths_leave_nothing_set(self):
        agent = self.apply()
        for _ in range(5):
            os.kill(self.worker(agent), signal.SIGKILL)
            self.wait_locks(1200, 900)
        self.assertEqual(self.end(agent), 0)
        self.assertEqual((self.gpus.locks(), self.touched()), ([None, None], []))

    def test_a_spoilt_record_resets_everything(self):
        self.gpus.change({"lock.0": 600, "lock.1": 600})
        self.record.write_text("[{")
        self.start()
        self.wait_locks(None, None)
        self.wait_said("is not a record of penstock agent; every GPU is reset")

    def test_a_second_agent_is_refused(self):
        self.apply()
        done = subprocess.run([PROGRAM, "agent", "--node", "n1", "--state", str(self.record), "--library", LIBRARY, "--patience", "200 ms",
                               "--interval", "100 ms"], env=self.gpus.environment(), capture_output=True, text=True, timeout=LONG)
        message = f"{self.record}.lock: another agent looks after this node"
        waits, refused = done.stderr.splitlines()
        self.assertIn(f'text="{message}; its end is waited for, 0.2 s at most"', waits)
        self.assertEqual((done.returncode, refused), (2, message))


class Hanging(AgentCase):
    def test_a_library_that_hangs_is_given_up_and_tried_again(self):
        self.daemon.set(1200)
        self.start(patience="1 s")
        self.wait_locks(1200, None)
        self.gpus.set("hang.all", 1)
        self.wait_said("has hung for 1 s and is killed")
        self.wait_said("resetting hangs or died too")
        self.daemon.set()
        self.gpus.set("hang.all", None)
        self.wait_locks(None, None)
        count = len(self.daemon.reports)
        wait_for(lambda: len(self.daemon.reports) > count, "no more reports")

    def test_once_gives_up_too(self):
        self.gpus.set("hang.nvmlInit_v2", 1)
        done = subprocess.run([PROGRAM, "agent", "--once", "--library", LIBRARY, "--state", str(self.record), "--patience", "200 ms", "--interval",
                               "100 ms"], env=self.gpus.environment(), capture_output=True, text=True, timeout=LONG)
        self.assertEqual((done.returncode, done.stderr), (1, "NVIDIA's library has not answered within 0.2 s, or died\n"))

    def test_lies_are_reported(self):
        self.gpus.change({"lie.lock": 1, "busy.0": 1, "lie.power": 1})
        self.daemon.set(900)
        self.start()
        wait_for(lambda: self.daemon.last() and {"GPU 0: runs at 1410 MHz though it was set to 900", "GPU 0: power: 4294967295 is not believable"}
                 <= set(self.daemon.last()["problems"]), "no doubts")
        self.assertIsNone(self.daemon.last()["gpus"][0]["power_w"])


class Refused(AgentCase):
    def assert_refused(self, code, message, *options):
        done = penstock("agent", *options)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (code, "", message + "\n"))

    def test_no_library(self):
        message = ("no NVIDIA library (/nowhere/nvml.so: cannot open shared object file: No such file or directory): install NVIDIA's driver, "
                   "or say where it is by --library")
        self.assert_refused(3, message, "--once", "--library", "/nowhere/nvml.so", "--state", self.record)
        done = penstock("agent", "--library", "/nowhere/nvml.so", "--state", self.record, "--node", "n1")
        self.assertEqual(done.returncode, 3)
        self.assertIn(f'text="{message}"', done.stderr)
        self.assertEqual(len(done.stderr.splitlines()), 1, "nothing but this")

    def test_no_driver(self):
        self.gpus.set("fail.nvmlInit_v2", 9)
        agent = self.start()
        self.assertEqual(agent.wait(LONG), 3)
        self.assertIn("no NVIDIA driver is loaded", self.said())

    def test_once(self):
        done = subprocess.run([PROGRAM, "agent", "--once", "--library", LIBRARY, "--state", str(self.record), "--node", "n7"],
                              env=self.gpus.environment(), capture_output=True, text=True, timeout=LONG)
        report = json.loads(done.stdout)
        self.assertEqual((done.returncode, done.stderr, report["node"], len(report["gpus"])), (0, "", "n7", 2))

    def test_options(self):
        self.assert_refused(2, "--by: there is no way 'magic'; there are: clock power command", "--by", "magic")
        self.assert_refused(2, "--by command: which one? Give --command, such as /usr/local/sbin/set-clock", "--by", "command")
        self.assert_refused(2, "--node: 'a/b' is no name of letters, digits, '.', '_' and '-'", "--node", "a/b")
        self.assert_refused(2, "--daemon: 'here' is no address of a daemon, such as http://127.0.0.1:7323", "--daemon", "here")
        self.assert_refused(2, "--interval: '5' is not a length of time from 50 ms to 1 h, such as 5 s", "--interval", "5")
        self.assert_refused(2, "--patience: must be longer than --interval", "--patience", "1 s")
        self.assert_refused(2, "--token-file: /nowhere/token: cannot be read: No such file or directory", "--token-file", "/nowhere/token")

    def test_a_state_that_cannot_be_written(self):
        done = subprocess.run([PROGRAM, "agent", "--library", LIBRARY, "--state", "/nowhere/deep/state.json"], env=self.gpus.environment(),
                              capture_output=True, text=True, timeout=LONG)
        self.assertEqual((done.returncode, done.stderr),
                         (2, "/nowhere/deep/state.json.lock: cannot be written: No such file or directory; say where by --state\n"))


if __name__ == "__main__":
    main()
