#!/usr/bin/env python3
"""The daemon while nodes fail, prices are spoilt, agents lie and the clock jumps. live_world_test.py [FOLDER OF THE PROGRAMS]"""
import os
import shutil
import subprocess
import time
import urllib.error
import urllib.request

import bridge
import patient
from daemon import TOKEN
from live_case import Case, east, sbatch, where
from slurm_cluster import wait_for

setUpModule, tearDownModule = east.up, east.down
PRICE = 'price = { file = "price.csv", column = "price", unit = "EUR/kWh" }'
# The system's clock is ahead by what PENSTOCK_TEST_OFFSET names, in seconds.
CLOCK = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
int clock_gettime(clockid_t which, struct timespec* at) {
  static int (*real)(clockid_t, struct timespec*);
  if (!real) real = (int (*)(clockid_t, struct timespec*))dlsym(RTLD_NEXT, "clock_gettime");
  const int failed = real(which, at);
  if (failed || which != CLOCK_REALTIME) return failed;
  long offset = 0;
  FILE* file = fopen(getenv("PENSTOCK_TEST_OFFSET"), "r");
  if (file) { if (fscanf(file, "%ld", &offset) != 1) offset = 0; fclose(file); }
  at->tv_sec += offset;
  return 0;
}
"""


def site(daemon):
    return daemon.get("sites")["sites"][0]


class Nodes(Case):
    def tearDown(self):
        for node in east.nodes:
            east.run("scontrol", "update", f"nodename={node}", "state=resume", check=False)
        wait_for(lambda: "down" not in east.run("sinfo", "-h", "-o", "%t"), "the nodes are well again")

    def test_a_job_whose_node_goes_down_runs_again_elsewhere(self):
        with self.daemon() as daemon:
            job = sbatch(seconds=2, gpus=4)
            node = wait_for(lambda: where(job), "it runs")
            wait_for(lambda: daemon.get(f"jobs/{job}")["job"]["state"] == "running", "and is seen to")
            east.run("scontrol", "update", f"nodename={node}", "state=down", "reason=fire")
            ended = daemon.wait_for_ends(job)[0]
            self.assertEqual((ended["state"], len(ended["runs"])), ("completed", 2), ended)
            self.assertNotEqual(ended["runs"][1]["nodes"], [node])
            wait_for(lambda: site(daemon)["nodes_down"] == 1, "the node is seen to be down")
            east.run("scontrol", "update", f"nodename={node}", "state=resume")
            wait_for(lambda: site(daemon)["nodes_down"] == 0, "it is back")
            both = [sbatch(gpus=4, seconds=1) for _ in range(2)]
            nodes = [detail["runs"][0]["nodes"][0] for detail in daemon.wait_for_ends(*both)]
            self.assertEqual(sorted(nodes), east.nodes)

    def test_a_drained_node_gets_no_new_job_and_keeps_its_old_one(self):
        with self.daemon() as daemon:
            old = sbatch(seconds=1000)
            node = wait_for(lambda: where(old), "it runs")
            east.run("scontrol", "update", f"nodename={node}", "state=drain", "reason=fan")
            wait_for(lambda: any("fan" in detail["text"] for *_, detail in daemon.entries("node")), "it is seen")
            new = [sbatch(gpus=2, seconds=0.2) for _ in range(3)]
            for detail in daemon.wait_for_ends(*new):
                self.assertNotEqual(detail["runs"][0]["nodes"], [node])
            self.assertEqual(where(old), node)

    def test_a_node_that_is_silent_loses_its_jobs_and_comes_back(self):
        with self.daemon() as daemon:
            job = sbatch(seconds=1, gpus=4)
            node = wait_for(lambda: where(job), "it runs")
            east.stop_node(node)
            try:
                wait_for(lambda: site(daemon)["nodes_down"] == 1, "Slurm gives it up")
                after = sbatch(gpus=4)
                self.assertNotEqual(daemon.wait_for_ends(after)[0]["runs"][0]["nodes"], [node])
            finally:
                east.start_node(node)
            wait_for(lambda: site(daemon)["nodes_down"] == 0, "it is back")
            self.assertIn(daemon.wait_for_ends(job)[0]["state"], ("completed", "node_fail"))


class Prices(Case):
    def write(self, price, begins=-3600, hours=24, name="price.csv"):
        rows = [f"{int(time.time()) // 3600 * 3600 + begins + 3600 * i},{price}" for i in range(hours)]
        fresh = self.folder / "daemon" / (name + ".new")
        fresh.write_text("\n".join(["time,price", *rows]) + "\n")
        fresh.rename(self.folder / "daemon" / name)

    def test_prices_are_read_again_and_bills_use_them(self):
        daemon = self.daemon(PRICE)
        self.write(0.1)
        with daemon:
            rates = []
            for price in (0.1, 10.0):
                self.write(price)
                wait_for(lambda: site(daemon)["price"] == price, f"the price is {price}")  # pylint: disable=cell-var-from-loop
                [ended] = daemon.wait_for_ends(sbatch(seconds=1))
                rates.append(ended["cost"] / ended["energy_j"] * 3.6e6)
            self.assertAlmostEqual(rates[0], 0.1, 6)
            self.assertAlmostEqual(rates[1], 10, 6)

    def test_a_spoilt_file_is_told_and_the_old_prices_hold(self):
        daemon = self.daemon(PRICE)
        self.write(0.1)
        file = self.folder / "daemon/price.csv"
        with daemon:
            for i, rubbish in enumerate((b"", b"\x00\xff\xfe rubbish", b"time,price\n2026-01-01T00:00Z,abc\n", b"time,price\n2026-01-01T0")):
                file.write_bytes(rubbish)
                wait_for(lambda: daemon.log().count("cannot be read again") > i, f"it says so of {rubbish}")  # pylint: disable=cell-var-from-loop
                self.assertEqual((site(daemon)["price"], daemon.why_not()), (0.1, ""))
            file.unlink()
            wait_for(lambda: "price.csv is gone" in daemon.log(), "it says so")
            self.assertEqual(daemon.wait_for_ends(sbatch())[0]["state"], "completed")
            self.write(0.3)
            wait_for(lambda: site(daemon)["price"] == 0.3, "the new one counts")

    def test_while_the_series_is_over_it_does_not_act(self):
        daemon = self.daemon(PRICE)
        self.write(0.1)
        with daemon:
            daemon.wait_for_ends(sbatch())
            self.write(0.2, begins=-36000, hours=5)
            wait_for(lambda: "price.csv ended at" in daemon.why_not(), "it says so")
            job = sbatch()
            wait_for(lambda: daemon.get("state")["jobs"]["queued"] == 1, "it waits")
            self.assertFalse(site(daemon)["signals"]["ok"])
            self.write(0.3)
            self.assertEqual(daemon.wait_for_ends(job)[0]["state"], "completed")

    def test_a_file_that_nobody_writes_is_stale(self):
        daemon = self.daemon(PRICE, slurm='stale_after = "4 s"')
        self.write(0.1)
        with daemon:
            wait_for(lambda: "has not been written for" in daemon.why_not(), "it says so")
            self.write(0.1)
            wait_for(lambda: not daemon.why_not(), "it goes on")


class Agents(Case):
    def report(self, daemon, body, node="east-n1"):
        request = urllib.request.Request(f"http://127.0.0.1:{daemon.port}/api/v1/agents/{node}", body.encode(), {"Authorization": f"Bearer {TOKEN}"})
        try:
            with urllib.request.urlopen(request, timeout=20) as answer:
                return answer.status
        except urllib.error.HTTPError as refused:
            refused.close()
            return refused.code

    def test_what_no_gpu_can_draw_is_not_believed(self):
        with self.daemon() as daemon:
            job = sbatch(seconds=1000, gpus=4)
            node = wait_for(lambda: where(job), "it runs")
            wait_for(lambda: site(daemon)["power_w"] > 0 and site(daemon)["busy_gpus"] == 4, "its power is known")
            time.sleep(0.3)
            believed = site(daemon)["power_w"]
            gpu = '{{"index":{0},"power_w":{1},"clock_mhz":1410,"utilization":1,"energy_j":1,"limit_w":400}}'
            for watts in ("-300", "1e300", "1e9", "null", '"300"', "5001"):
                body = '{"gpus":[' + ",".join(gpu.format(i, watts) for i in range(4)) + "]}"
                self.assertEqual(self.report(daemon, body, node), 200)
                self.assertEqual(site(daemon)["power_w"], believed, watts)
            for body, status in (("{}", 400), ('{"gpus":[{"index":0,"power_w":NaN}]}', 400), ('{"gpus":[{"index":-1}]}', 400), ("[]", 400), ('{"gpus":{}}', 400),
                                 ('{"gpus":[{"index":99999999999999999999,"power_w":1}]}', 400), ("", 400)):
                self.assertEqual(self.report(daemon, body, node), status, body)
            self.assertEqual(self.report(daemon, '{"gpus":[]}', "nowhere"), 404)
            self.assertEqual(self.report(daemon, '{"gpus":[' + ",".join(gpu.format(i, 111) for i in range(4)) + "]}", node), 200)
            self.assertTrue(daemon.is_up())


class Clocks(Case):
    def test_jobs_flow_while_the_clock_jumps(self):
        if not shutil.which("cc"):
            self.skipTest("there is no C compiler for a clock that jumps")
        daemon = self.daemon()
        offset, library = self.folder / "offset", self.folder / "clock.so"
        (self.folder / "clock.c").write_text(CLOCK)
        subprocess.run(["cc", "-shared", "-fPIC", "-o", library, self.folder / "clock.c", "-ldl"], check=True)
        plain = self.folder / "plain-bridge"  # Slurm's own tools keep the true time
        plain.write_text(f'#!/bin/sh\nunset LD_PRELOAD\nexec {bridge.PROGRAM} "$@"\n')
        plain.chmod(0o755)
        daemon.config.write_text(daemon.config.read_text().replace(str(bridge.PROGRAM), str(plain)))
        os.environ.update({"LD_PRELOAD": str(library), "PENSTOCK_TEST_OFFSET": str(offset)})
        try:
            daemon.start(wait=False)
        finally:
            del os.environ["LD_PRELOAD"]
        self.addCleanup(daemon.stop)
        wait_for(daemon.is_up, "the daemon answers")
        for seconds in (0, 7200, -7200, 90):
            offset.write_text(str(seconds))
            [ended] = daemon.wait_for_ends(sbatch(seconds=0.3))
            self.assertEqual((ended["state"], len(ended["runs"])), ("completed", 1))
            self.assertGreaterEqual(ended["energy_j"], 0)
        self.assertIn("the system's clock jumped by 7200 s", daemon.log().replace("7199", "7200"))
        self.assertIn("jumped by -14", daemon.log())


if __name__ == "__main__":
    patient.main(bridge.BUILT)
