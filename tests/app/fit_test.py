#!/usr/bin/env python3
"""`penstock fit` makes the shipped models from the shipped measurements, and refuses what is none."""
import pathlib
import tempfile
import tomllib
import unittest

from program import DATA, main, penstock


def numbers(value, path=""):
    """Every number of a catalogue with its path."""
    for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
        here = f"{path}.{key}"
        if isinstance(inner, (dict, list)):
            yield from numbers(inner, here)
        elif isinstance(inner, (int, float)):
            yield here, inner


class Fit(unittest.TestCase):
    def test_makes_the_shipped_a100_models(self):
        with tempfile.TemporaryDirectory() as folder:
            out = pathlib.Path(folder) / "a100.toml"
            done = penstock("fit", DATA / "profiles", "--gpu", "a100", "--out", out, "--plots", folder)
            self.assertEqual(done.returncode, 0, done.stderr)
            made = dict(numbers(tomllib.loads(out.read_text())))
            self.assertEqual(len(list(pathlib.Path(folder).glob("*.svg"))), 7)
        shipped = dict(numbers(tomllib.loads((DATA / "models" / "a100.toml").read_text())))
        self.assertEqual(made.keys(), shipped.keys())
        for path, value in shipped.items():
            self.assertAlmostEqual(made[path], value, delta=1e-3 * abs(value) + 1e-6, msg=path)
        self.assertIn("7 models written to", done.stdout)

    def test_refuses_what_is_no_measurement(self):
        done = penstock("fit", DATA / "demo.toml")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("demo.toml: is no file of measurements; known: ElasticFlow", done.stderr)

    def test_refuses_a_gpu_that_was_not_measured(self):
        done = penstock("fit", DATA / "profiles" / "elasticflow", "--gpu", "h100")
        self.assertEqual(done.returncode, 2)
        self.assertTrue(done.stderr.endswith("--gpu: no speed was measured on 'h100'; there are: a100 t4\n"), done.stderr)

    def test_says_what_has_no_model(self):
        done = penstock("fit", DATA / "profiles" / "perseus", "--out", "never.toml")
        self.assertEqual((done.returncode, done.stderr),
                         (2, "--out: there is no model to write: no file holds iteration times\n"))


if __name__ == "__main__":
    main()
