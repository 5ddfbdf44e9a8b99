#!/usr/bin/env python3
"""The daemon while Slurm or its journal fail. live_faults_test.py [FOLDER OF THE PROGRAMS]"""
import sqlite3
import subprocess

import bridge
import patient
from live_case import Case, east, sbatch, state
from slurm_cluster import wait_for

setUpModule, tearDownModule = east.up, east.down


class Controllers(Case):
    def test_while_slurmctld_is_gone_it_says_so_and_goes_on_where_it_was(self):
        with self.daemon(serve='fail_open_after = "2 s"') as daemon:
            full = [sbatch(seconds=1000, gpus=4) for _ in range(2)]
            wait_for(lambda: daemon.get("state")["jobs"]["running"] == 2, "the cluster is full")
            waits = sbatch()
            wait_for(lambda: daemon.get("state")["jobs"]["queued"] == 1, "one waits")
            east.stop_controller()
            try:
                self.wait_until_it_says(daemon, "east does not answer")
                wait_for(lambda: "failed open" in daemon.log(), "it fails open")
            finally:
                self.assertTrue(east.start_controller())
            wait_for(lambda: daemon.get("state")["acting"], "it acts again")
            east.run("scancel", *full)
            self.assertEqual(daemon.wait_for_ends(waits)[0]["state"], "completed")
            self.wait_until_it_acts(daemon)


class Journals(Case):
    def on_small_disk(self, **options):
        disk = self.folder / "daemon"
        disk.mkdir()
        if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=3m", "tmpfs", disk], capture_output=True, check=False).returncode != 0:
            self.skipTest("here no disk can be mounted")
        self.addCleanup(subprocess.run, ["umount", "-l", disk], check=False)
        return self.daemon(**options)

    def fill(self, daemon):
        filler = daemon.folder / "filler"
        with open(filler, "wb", buffering=0) as file:
            for size in (1 << 16, 1 << 12, 1):
                try:
                    while True:
                        file.write(b"x" * size)
                except OSError:
                    pass
        return filler

    def test_on_a_full_disk_it_stops_acting_lets_jobs_go_and_recovers(self):
        daemon = self.on_small_disk(serve='fail_open_after = "4 s"')
        daemon.log_file = self.folder / "serve.log"
        with daemon:
            self.wait_until_it_acts(daemon)
            filler = self.fill(daemon)
            held = [sbatch("--comment", "x" * 1000) for _ in range(30)]  # until what SQLite has room for is used up
            self.wait_until_it_says(daemon, "the journal cannot be written")
            self.assertIn("full", daemon.why_not())
            wait_for(lambda: all(state(job) == "COMPLETED" for job in held), "Slurm runs what was held")
            filler.unlink()
            self.wait_until_it_acts(daemon)
            self.assertIn("can be written again", daemon.log())
            daemon.wait_for_ends(*held)

    def test_while_somebody_locks_the_journal_it_does_not_act(self):
        with self.daemon() as daemon:
            self.wait_until_it_acts(daemon)
            with sqlite3.connect(daemon.journal, isolation_level=None, timeout=20) as lock:
                lock.execute("BEGIN IMMEDIATE")
                job = sbatch()
                self.wait_until_it_says(daemon, "the journal cannot be written")
                self.assertEqual(state(job), "PENDING")
                lock.execute("ROLLBACK")
            lock.close()
            self.wait_until_it_acts(daemon)
            self.assertEqual(daemon.wait_for_ends(job)[0]["state"], "completed")

    def test_a_journal_that_cannot_be_opened_is_told_at_once(self):
        daemon = self.on_small_disk()
        subprocess.run(["mount", "-o", "remount,ro", daemon.folder], check=True)
        self.assertIn("journal.db", daemon.run("serve", daemon.config))

    def test_a_journal_that_is_no_journal_is_told_at_once(self):
        daemon = self.daemon()
        daemon.journal.write_bytes(b"not a database" * 1000)
        self.assertIn("file is not a database", daemon.run("serve", daemon.config))


if __name__ == "__main__":
    patient.main(bridge.BUILT)
