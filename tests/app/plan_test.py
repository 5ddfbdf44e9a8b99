#!/usr/bin/env python3
"""penstock plan: the published figures by every method, requests from stdin, and what it says to bad ones."""
import json
import pathlib
import subprocess
import tempfile
import unittest

from program import DATA, PROGRAM, main, penstock

METHODS = "RG G LS PR FIFO EDF PS ATC EXACT".split()
GOLDEN = {"one-node": 50.866, "two-nodes": 101.732, "two-nodes-later": 91.004}
# Seconds an epoch on 1 to 4 M60s, and costs an hour by used GPUs, of the published sample requests.
BIG = [217.7386529, 226.5392846, 218.7260749, 206.7594049]
SMALL = [73.83799561, 77.89974383, 76.45150798, 73.62577612]
MEDIUM = [75.48717436, 81.05718885, 81.15076952, 79.87524173]
M60 = [0.62, 1.24, 1.86, 2.48]


def table(values):
    return {str(gpus): value for gpus, value in enumerate(values, 1)}


def job(deadline, priority, times, epochs="1000", submitted="Tue 21 Jul 2020, 17.56.59"):
    return {"SubmissionTime": submitted, "Deadline": deadline, "Priority": priority, "Epochs": epochs, "ProfilingData": {"M60": table(times)}}


def node(free=4):
    return {"GPUtype": "M60", "free_nGPUs": free, "total_nGPUs": 4, "cost": 0.0}


def running(name, gpus):
    return {"node": name, "GPUtype": "M60", "nGPUs": gpus}


def plan(request, *options):
    """What the program answers to a request on stdin."""
    done = subprocess.run([PROGRAM, "plan", "-", *map(str, options)], input=json.dumps(request), capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    return json.loads(done.stdout)


class Golden(unittest.TestCase):
    def test_every_method_finds_the_published_cost(self):
        for name, cost in GOLDEN.items():
            for method in METHODS:
                with self.subTest(name=name, method=method):
                    done = penstock("plan", DATA / f"plan/{name}.json", "--method", method)
                    self.assertEqual((done.returncode, done.stderr), (0, ""))
                    self.assertAlmostEqual(json.loads(done.stdout)["estimated_cost"], cost, delta=1e-3)

    def test_two_nodes_are_filled_and_the_patient_waits(self):
        answer = json.loads(penstock("plan", DATA / "plan/two-nodes.json").stdout)
        self.assertEqual(sum(at["nGPUs"] for at in answer["jobs"].values()), 8)
        self.assertEqual(list(answer["waiting"]), ["patient"])
        self.assertAlmostEqual(answer["estimated_rescheduling_time"], 422 + 73837.99561, places=3)

    def test_running_jobs_stay_where_they_are(self):
        answer = json.loads(penstock("plan", DATA / "plan/two-nodes-later.json", "--method", "FIFO").stdout)
        self.assertEqual(answer["jobs"]["wide"]["node"], "n1")
        self.assertEqual([answer["jobs"][name]["node"] for name in ("big-1", "big-2", "patient")], ["n2"] * 3)


class Published(unittest.TestCase):
    """The published samples: times as text with a weekday, epochs as text, jobs that ended in currentScheduling."""

    costs = {"GPUcosts": {"M60": table(M60)}, "verbose": 2}

    def test_four_jobs_on_one_of_two_nodes(self):
        answer = plan({"jobs": {"JJ1": job("Fri 24 Jul 2020, 07.16.50", 1, BIG), "JJ2": job("Thu 23 Jul 2020, 13.37.01", 2, SMALL),
                                "JJ3": job("Thu 23 Jul 2020, 10.59.50", 3, SMALL), "JJ4": job("Thu 23 Jul 2020, 19.34.15", 4, MEDIUM)},
                       "nodes": {"n1": node(), "n2": node()}, "currentTime": "Tue 21 Jul 2020, 17.56.59", **self.costs})
        self.assertAlmostEqual(answer["estimated_cost"], 50.866, delta=1e-3)
        self.assertEqual(answer["estimated_rescheduling_time"], "Wed 22 Jul 2020, 14.27.37")
        self.assertEqual({(at["nGPUs"], at["expected_tardiness"]) for at in answer["jobs"].values()}, {(1, 0)})
        self.assertEqual(len(answer["jobs"]), 4)

    def test_a_job_in_a_hurry_gets_a_node_of_its_own(self):
        soon = "Tue 21 Jul 2020, 18.04.01"
        answer = plan({"jobs": {"JJ1": job("Fri 24 Jul 2020, 07.16.50", 1, BIG), "JJ2": job("Thu 23 Jul 2020, 13.37.01", 5, SMALL),
                                "JJ3": job("Thu 23 Jul 2020, 10.59.50", 3, SMALL), "JJ4": job("Thu 23 Jul 2020, 19.34.15", 2, MEDIUM),
                                "JJ5": job("Fri 24 Jul 2020, 04.37.12", 1, BIG, submitted=soon),
                                "JJ6": job("Fri 24 Jul 2020, 10.10.32", 1, BIG, submitted=soon)},
                       "nodes": {"n1": node(), "n2": node()}, "currentTime": soon, **self.costs}, "--method", "G")
        self.assertAlmostEqual(answer["estimated_cost"], 101.7322, delta=1e-3)
        self.assertEqual(answer["estimated_rescheduling_time"], "Wed 22 Jul 2020, 14.34.39")
        self.assertEqual(answer["jobs"]["JJ5"]["nGPUs"], 4)
        self.assertEqual(list(answer["waiting"]), ["JJ4"])

    def test_who_has_ended_makes_room(self):
        soon = "Tue 21 Jul 2020, 18.04.01"
        answer = plan({"jobs": {"JJ1": job("Fri 24 Jul 2020, 07.16.50", 1, BIG, "661"), "JJ4": job("Thu 23 Jul 2020, 19.34.15", 2, MEDIUM),
                                "JJ5": job("Fri 24 Jul 2020, 04.37.12", 1, BIG, "643", soon),
                                "JJ6": job("Fri 24 Jul 2020, 10.10.32", 1, BIG, "661", soon)},
                       "nodes": {"n1": node(0), "n2": node(2)}, "currentTime": "Wed 22 Jul 2020, 14.34.39",
                       "currentScheduling": {"JJ1": running("n2", 1), "JJ2": running("n2", 1), "JJ3": running("n2", 1),
                                             "JJ5": running("n1", 4), "JJ6": running("n2", 1)}, **self.costs}, "--method", "FIFO")
        self.assertAlmostEqual(answer["estimated_cost"], 91.0041, delta=1e-3)
        self.assertEqual(answer["estimated_rescheduling_time"], "Thu 23 Jul 2020, 11.32.46")
        self.assertEqual({name: (at["node"], at["nGPUs"]) for name, at in answer["jobs"].items()},
                         {"JJ1": ("n2", 1), "JJ4": ("n2", 1), "JJ5": ("n1", 4), "JJ6": ("n2", 1)})

    def test_a_deadline_that_cannot_be_kept(self):
        answer = plan({"jobs": {"JJ4": job("Thu 23 Jul 2020, 19.34.15", 1, MEDIUM)}, "nodes": {"n1": node(1)},
                       "currentTime": "Thu 23 Jul 2020, 08.54.39", **self.costs})
        self.assertAlmostEqual(answer["estimated_cost"], 22.416, delta=1e-3)
        self.assertAlmostEqual(answer["jobs"]["JJ4"]["expected_tardiness"], 10.308666666666666, delta=1e-3)


class Command(unittest.TestCase):
    request = json.loads((DATA / "plan/two-nodes.json").read_text())

    def test_the_number_of_threads_changes_nothing(self):
        for method in METHODS:
            self.assertEqual(plan(self.request, "--method", method), plan(self.request, "--method", method, "--threads", 3), method)

    def test_options_go_before_the_request(self):
        details = plan({**self.request, "verbose": True}, "--method", "EDF", "--seed", 9, "--time-limit", "5 s")["details"]
        self.assertEqual((details["method"], details["seed"]), ("EDF", 9))

    def test_writes_a_file(self):
        with tempfile.TemporaryDirectory() as folder:
            done = penstock("plan", DATA / "plan/one-node.json", "--out", "answer.json", cwd=folder)
            self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
            answer = json.loads((pathlib.Path(folder) / "answer.json").read_text())
            self.assertAlmostEqual(answer["estimated_cost"], GOLDEN["one-node"], delta=1e-3)

    def test_shares_a_gpu(self):
        request = {"jobs": {name: {**job(9000, 1, [1]), "SubmissionTime": 0, "Memory": 3} for name in "abcd"}, "currentTime": 0,
                   "nodes": {"n1": {"GPUtype": "M60", "free_nGPUs": 1, "total_nGPUs": 1, "cost": 0}}, "GPUcosts": {"M60": table(M60)},
                   "GPUfractions": {"M60": {"0.25": {"inflation": 1.11, "memory": 4}}}}
        answer = plan(request, "--method", "G")  # each gets the cheapest in time; others may find it cheaper to wait
        self.assertEqual([at["nGPUs"] for at in answer["jobs"].values()], [0.25] * 4)
        self.assertAlmostEqual(answer["estimated_rescheduling_time"], 1110)


class Refused(unittest.TestCase):
    def assert_refused(self, message, *arguments, text=None):
        done = subprocess.run([PROGRAM, "plan", *map(str, arguments)], input=text, capture_output=True, text=True, timeout=60)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (2, "", message + "\n"))

    def test_bad_requests_by_their_path(self):
        request = json.loads((DATA / "plan/one-node.json").read_text())
        request["jobs"]["big"]["ProfilingData"]["M60"]["1"] = -1
        request["nodes"]["n1"]["free_nGPUs"] = 5
        self.assert_refused("stdin: nodes.n1.free_nGPUs: 5 are more than total_nGPUs, 4\n"
                            "stdin: jobs.big.ProfilingData.M60.1: must be above 0 and at most 1000000000; it is -1", "-", text=json.dumps(request))

    def test_no_json(self):
        self.assert_refused("stdin:1:1: ends before its JSON does", "-", text="")

    def test_options(self):
        sample = DATA / "plan/one-node.json"
        self.assert_refused("--method: there is no method 'rg'; there are: RG G LS PR FIFO EDF PS ATC EXACT", sample, "--method", "rg")
        self.assert_refused("--time-limit: '5' is not a length of time above 0, such as 500 ms", sample, "--time-limit", "5")


if __name__ == "__main__":
    main()
