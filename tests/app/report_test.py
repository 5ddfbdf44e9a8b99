#!/usr/bin/env python3
"""penstock report: what the page holds is what the files say; every bad folder has its message."""
import base64
import csv
import gzip
import json
import pathlib
import re
import shutil
import struct
import tempfile
import unittest

from program import DATA, main, penstock

POLICIES = "fifo,fifo:backfill=easy,srtf"
WIDTHS = {"u8": 1, "i16s": 2, "i32s": 4, "i32ds": 4, "f32s": 4}
NONE = {"i16s": -32768, "i32s": -2147483648, "i32ds": -2147483648}


class Page:
    """A report, read as a browser does."""

    def __init__(self, path):
        text = path.read_text()
        found = re.search(r'<script id="penstock-data"[^>]*>\s*([A-Za-z0-9+/=]*)\s*</script>', text)
        data = gzip.decompress(base64.b64decode(found[1], validate=True))
        (size,) = struct.unpack("<I", data[:4])
        self.head = json.loads(data[4:4 + size])
        self.blob = data[(4 + size + 3) // 4 * 4:]

    def values(self, column):
        encoding, rows = column["enc"], column["rows"]
        if encoding == "const":
            return [column["value"]] * rows
        width, at = WIDTHS[encoding], column["at"]
        planes = [self.blob[at + i * rows:at + (i + 1) * rows] for i in range(width)]
        words = [bytes(plane[row] for plane in planes) for row in range(rows)]
        if encoding == "f32s":
            numbers = [struct.unpack("<f", word)[0] for word in words]
            return [None if number != number else number for number in numbers]
        numbers = [int.from_bytes(word, "little", signed=encoding != "u8") for word in words]
        if encoding == "i32ds":
            total = 0
            for row, step in enumerate(numbers):
                total += step
                numbers[row] = total
        return [None if number == NONE.get(encoding) else number for number in numbers]

    def table(self, block):
        columns = {name: self.values(column) for name, column in block["columns"].items()}
        return [dict(zip(columns, row)) for row in zip(*columns.values())]


def rows_of(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


class InAFolder(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def simulate(self, out="out", policies=POLICIES, scenario=DATA / "demo.toml", more=()):
        done = penstock("simulate", scenario, "--policy", policies, "--out", out, *more, cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        return self.folder / out

    def report(self, *dirs, more=()):
        done = penstock("report", *dirs, "--out", "r.html", *more, cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        return Page(self.folder / "r.html")

    def refused(self, *words):
        done = penstock("report", *words, "--out", "r.html", cwd=self.folder)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertFalse((self.folder / "r.html").exists())
        self.assertEqual(len(done.stderr.strip().splitlines()), 1, done.stderr)
        return done.stderr.strip()


class WhatAPageHolds(InAFolder):
    @classmethod
    def setUpClass(cls):
        cls.shared = pathlib.Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, cls.shared)
        penstock("simulate", DATA / "demo.toml", "--policy", POLICIES, "--out", "out", cwd=cls.shared)
        cls.out = cls.shared / "out"
        cls.page = Page(cls.out / "report.html")

    def test_every_job_is_there_as_jobs_csv_has_it(self):
        head = self.page.head
        self.assertEqual([run["label"] for run in head["runs"]], ["fifo", "fifo backfill=easy", "srtf"])
        self.assertEqual([run["population"] for run in head["runs"]], [0, 0, 0])
        population = self.page.table(head["populations"][0])
        for run in head["runs"]:
            files = {row["job_id"]: row for row in rows_of(self.out / run["summary"]["dir"] / "jobs.csv")}
            jobs = self.page.table(run["jobs"])
            self.assertEqual(len(jobs), len(files))
            for who, job in zip(population, jobs):
                row = files[head["texts"][who["name"]]]
                unit = run["time_unit_s"]
                self.assertEqual(who["submitted"] * unit, float(row["submission_time"]))
                self.assertEqual(who["gpus"], int(row["requested_number_of_resources"]))
                self.assertEqual(job["wait"] * unit, float(row["waiting_time"]))
                self.assertEqual(job["run"] * unit, float(row["execution_time"]))
                self.assertEqual(job["restarts"], int(row["restarts"]))
                self.assertAlmostEqual(job["energy"], float(row["energy_kwh"]), delta=1e-3 * float(row["energy_kwh"]))

    def test_stretches_are_there_in_order(self):
        for run in self.page.head["runs"]:
            bars = self.page.table(run["stretches"])
            files = rows_of(self.out / run["summary"]["dir"] / "stretches.csv")
            self.assertEqual(len(bars), sum(len(row["allocated_resources"].split()) for row in files))
            self.assertEqual(bars, sorted(bars, key=lambda bar: (bar["from"], bar["gpu"])))
            held = sum(bar["length"] * bar["count"] for bar in bars) * run["time_unit_s"]
            self.assertAlmostEqual(held / 3600 / 128 / (run["summary"]["makespan_s"] / 3600), run["summary"]["gpu_utilization"], places=6)

    def test_timelines_are_there(self):
        for run in self.page.head["runs"]:
            rows = self.page.table(run["timeline"]["sites"][0])
            files = rows_of(self.out / run["summary"]["dir"] / "timeline.csv")
            self.assertEqual([row["busy"] for row in rows], [int(row["busy_gpus"]) for row in files])
            self.assertIsNone(rows[0]["cap"])

    def test_the_page_is_one_file_that_asks_nobody(self):
        text = (self.out / "report.html").read_text()
        self.assertIn("default-src 'none'", text)
        self.assertNotIn("PENSTOCK_DATA", text)

    def test_the_same_folder_gives_the_same_page(self):
        shutil.copytree(self.out, self.folder / "out")
        penstock("report", "out", "--out", "a.html", cwd=self.folder)
        penstock("report", "out", "--out", "b.html", cwd=self.folder)
        self.assertEqual((self.folder / "a.html").read_bytes(), (self.folder / "b.html").read_bytes())


class Comparing(InAFolder):
    def test_one_policy_is_a_report_too(self):
        self.simulate(policies="fifo")
        page = self.report("out")
        self.assertEqual(page.head["pareto"], [])
        self.assertEqual(page.head["runs"][0]["summary"]["dir"], "")

    def test_several_folders_are_on_one_page(self):
        self.simulate("a", "fifo,srtf")
        self.simulate("b", "fifo", more=["--set", "site.pue=1.1"])
        head = self.report("a", "b").head
        self.assertEqual([run["label"] for run in head["runs"]], ["fifo · a", "srtf", "fifo · b"])
        self.assertEqual([one["dir"] for one in head["inputs"]], ["a", "b"])
        self.assertEqual(len(head["populations"]), 1)

    def test_the_baseline_is_named_or_numbered(self):
        self.simulate(policies="fifo,srtf")
        self.assertEqual(self.report("out").head["baseline"], 0)
        self.assertEqual(self.report("out", more=["--baseline", "srtf"]).head["baseline"], 1)
        self.assertEqual(self.report("out", more=["--baseline", "2"]).head["baseline"], 1)
        (self.folder / "r.html").unlink()
        self.assertEqual(self.refused("out", "--baseline", "srt"),
                         "--baseline: there is no run 'srt'; possible: 1 to 2, or 'fifo', 'srtf'; did you mean 'srtf'?")

    def test_a_sweep_says_what_varied(self):
        done = penstock("sweep", DATA / "demo.toml", "--policy", "fifo", "--vary", "site.pue=1.1,1.4", "--out", "s", cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        head = Page(self.folder / "s" / "report.html").head
        self.assertEqual(head["sweep"], {"keys": ["site.pue"], "values": [[1.1, 1.4]]})
        self.assertIsNone(head["runs"][0]["jobs"])
        self.assertEqual(self.report("s").head["sweep"], head["sweep"])

    def test_flows_and_reasons_of_several_sites(self):
        out = self.simulate(policies="geo:router=cheapest", scenario=DATA / "scenarios/geo.toml", more=["--set", "workload.limit=300"])
        run = Page(out / "report.html").head["runs"][0]
        jobs = rows_of(out / "jobs.csv")
        self.assertEqual(sum(flow["jobs"] for flow in run["flows"]), len(jobs))
        self.assertAlmostEqual(sum(flow["gb"] for flow in run["flows"]), sum(float(job["transfer_gb"]) for job in jobs), places=3)
        self.assertEqual(run["reasons"]["rows"], len(rows_of(out / "reasons.csv")))

    def test_no_report_is_written_where_none_is_wanted(self):
        out = self.simulate(policies="fifo", more=["--no-report"])
        self.assertFalse((out / "report.html").exists())


class BadFolders(InAFolder):
    def setUp(self):
        super().setUp()
        self.out = self.simulate(policies="fifo", more=["--no-report"])

    def change(self, name, deed):
        path = self.out / name
        path.write_text(deed(path.read_text()))

    def test_what_is_no_folder_of_results(self):
        self.assertEqual(self.refused("none"), "none: no such folder")
        (self.folder / "file").write_text("")
        self.assertEqual(self.refused("file"), "file: is no folder of results")
        (self.folder / "empty").mkdir()
        self.assertEqual(self.refused("empty"), "empty: holds no summary.json, so no run was completed there; possible: a folder "
                                                "that simulate or sweep wrote with --out")

    def test_a_summary_that_is_none(self):
        for text, why in {"{": "no JSON object", "[]": "no JSON object", "{}": "it needs 'version' and the list 'runs'"}.items():
            (self.out / "summary.json").write_text(text)
            self.assertEqual(self.refused("out"), f"out/summary.json: is not a summary.json: {why}")
        (self.out / "summary.json").write_text('{"version": "0", "runs": []}')
        self.assertEqual(self.refused("out"), "out/summary.json: runs: there are none")

    def test_files_that_are_half_written(self):
        whole = (self.out / "jobs.csv").read_text()
        (self.out / "jobs.csv").write_text(whole[:len(whole) // 2])
        self.assertRegex(self.refused("out"), r"^out/jobs.csv:\d+: is cut short: the line has no end$")
        (self.out / "jobs.csv").write_text("\n".join(whole.splitlines()[:11]) + "\n")
        self.assertEqual(self.refused("out"),
                         "out/jobs.csv: has 10 jobs where summary.json counts 2000 that finished: it is not whole")
        (self.out / "jobs.csv").unlink()
        self.assertEqual(self.refused("out"), "out/jobs.csv: is not there although summary.json names the folder: it is not whole")

    def test_a_cell_that_is_wrong(self):
        self.change("stretches.csv", lambda text: text.replace(",finished\n", ",ended\n", 1))
        self.assertRegex(self.refused("out"), r"^out/stretches.csv:\d+: ended_by: 'ended' is no end that is known$")

    def test_a_run_of_an_older_version_lacks_pictures_only(self):
        for name in ("stretches.csv", "reasons.csv"):
            (self.out / name).unlink()
        summary = json.loads((self.out / "summary.json").read_text())
        summary["version"] = "0.0.9"
        del summary["runs"][0]["dir"], summary["runs"][0]["sites"][0]["first_gpu"], summary["runs"][0]["sites"][0]["node_gpus"]
        (self.out / "summary.json").write_text(json.dumps(summary))
        head = self.report("out").head
        self.assertEqual(len(head["notes"]), 2, head["notes"])
        self.assertIsNone(head["runs"][0]["stretches"])
        self.assertEqual(head["runs"][0]["jobs"]["rows"], 2000)

    def test_a_folder_outside_is_not_read(self):
        self.change("summary.json", lambda text: text.replace('"dir": ""', '"dir": "../other"'))
        self.assertEqual(self.refused("out"), "out/summary.json: dir: '../other' is not below it")

    def test_measures_that_are_null_stay_null(self):
        self.change("summary.json", lambda text: re.sub(r'"jct_mean_s": [0-9.]+', '"jct_mean_s": null', text))
        self.assertIsNone(self.report("out").head["runs"][0]["summary"]["jct_mean_s"])

    def test_a_run_without_jobs(self):
        header = (self.out / "jobs.csv").read_text().splitlines()[0] + "\n"
        (self.out / "jobs.csv").write_text(header)
        (self.out / "stretches.csv").write_text((self.out / "stretches.csv").read_text().splitlines()[0] + "\n")
        self.change("summary.json", lambda text: re.sub(r'"jobs_(submitted|finished)": 2000', r'"jobs_\1": 0', text))
        head = self.report("out").head
        self.assertEqual(head["notes"], ["fifo: no job finished."])
        self.assertEqual(head["runs"][0]["jobs"]["rows"], 0)

    def test_where_it_cannot_be_written(self):
        done = penstock("report", "out", "--out", "no/such/r.html", cwd=self.folder)
        self.assertEqual(done.returncode, 2)
        self.assertIn("no/such/r.html: No such file or directory", done.stderr)


if __name__ == "__main__":
    main()
