#!/usr/bin/env python3
"""The daemon over a bridge that hangs, dies or talks rubbish. live_bridge_test.py [FOLDER OF THE PROGRAMS]"""
import os
import signal
import time

import bridge
import patient
import processes
from live_case import Case, east, sbatch, state
from slurm_cluster import wait_for

setUpModule, tearDownModule = east.up, east.down
# A bridge that is itself as long as there is no file `mode` beside it.
WRAPPER = """#!/usr/bin/env python3
import os, pathlib, sys
mode = pathlib.Path(__file__).with_name("mode")
if not mode.exists():
    os.execv({program!r}, [{program!r}, *sys.argv[1:]])
if mode.read_bytes() == b"die":
    sys.exit(7)
for line in sys.stdin.buffer:
    asked = line.split(b":")[1].split(b",")[0]
    sys.stdout.buffer.write(mode.read_bytes().replace(b"ID", asked) + b"\\n")
    sys.stdout.buffer.flush()
"""
RUBBISH = [b"hello", b"\xff\xfe\x00", b"[]", b"7", b'{"id":ID}', b'{"id":"ID","ok":true}', b'{"id":99999999,"ok":true}', b'{"id":ID,"ok":true}',
           b'{"id":ID,"ok":true,"jobs":7,"nodes":"x","last_update":"y"}', b'{"id":ID,"ok":"yes","error":5}', b'{"event":"ended","job":"x"}',
           b'{"id":ID,"ok":false,"error":{"code":7,"text":[]}}', b'{"id":ID,"ok":true,"unchanged":true}\n' * 3, b'{"event":7,"array_task":{},"array_job":-1}',
           b"{" * 100_000]


class Bridges(Case):
    def wrapped(self):
        self.wrapper = self.folder / "bridge"
        self.wrapper.write_text(WRAPPER.format(program=str(bridge.PROGRAM)))
        self.wrapper.chmod(0o755)
        return self.daemon(bridge=self.wrapper, slurm='patience = "2 s"')

    def test_a_bridge_that_hangs_is_replaced(self):
        with self.daemon(slurm='patience = "2 s"') as daemon:
            self.wait_until_it_acts(daemon)
            [hung] = processes.children(daemon.process.pid)
            os.kill(hung, signal.SIGSTOP)
            self.wait_until_it_says(daemon, "east does not answer: the bridge does not answer")
            self.wait_until_it_acts(daemon)
            self.assertNotIn(hung, processes.children(daemon.process.pid))

    def test_a_bridge_that_dies_at_once_is_started_again_and_again_without_haste(self):
        with self.wrapped() as daemon:
            self.wait_until_it_acts(daemon)
            (self.folder / "mode").write_bytes(b"die")
            os.kill(processes.children(daemon.process.pid)[0], signal.SIGKILL)
            self.wait_until_it_says(daemon, "east does not answer")
            before, began = len(daemon.entries("bridge")), time.monotonic()
            time.sleep(2)
            self.assertLessEqual(len(daemon.entries("bridge")) - before, time.monotonic() - began + 2)
            (self.folder / "mode").unlink()
            self.wait_until_it_acts(daemon)

    def test_whatever_a_bridge_says_the_daemon_lives(self):
        with self.wrapped() as daemon:
            running = sbatch(seconds=1000)
            wait_for(lambda: daemon.get("state")["jobs"]["running"] == 1, "one runs")
            for rubbish in RUBBISH:
                (self.folder / "mode").write_bytes(rubbish)
                for child in processes.children(daemon.process.pid):
                    os.kill(child, signal.SIGKILL)
                starts = len(daemon.entries("bridge"))
                wait_for(lambda: len(daemon.entries("bridge")) > starts, "it is started again")  # pylint: disable=cell-var-from-loop
                time.sleep(0.2)
                self.assertTrue(daemon.is_up(), rubbish[:80])
            (self.folder / "mode").unlink()
            for child in processes.children(daemon.process.pid):
                os.kill(child, signal.SIGKILL)
            self.wait_until_it_acts(daemon)
            self.assertEqual(state(running), "RUNNING")
            self.assertNotIn(("east", str(running)), daemon.ended(), "nobody took it for gone")
            self.assertEqual(daemon.get(f"jobs/{running}")["job"]["state"], "running")


if __name__ == "__main__":
    patient.main(bridge.BUILT)
