#!/usr/bin/env python3
"""tools/install.sh puts a daemon's programs, examples and units below a prefix. install_test.py FOLDER OF THE PROGRAMS"""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILT = pathlib.Path(sys.argv.pop(1) if len(sys.argv) > 1 else ROOT / "build/release").resolve()


class Install(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))

    def install(self, built, prefix):
        return subprocess.run([ROOT / "tools/install.sh", built, prefix], env={**os.environ, "DESTDIR": str(self.folder)}, cwd="/", capture_output=True,
                              text=True, timeout=60)

    def made_up(self, *programs):
        """A folder with programs that only have their names."""
        built = self.folder / "built"
        built.mkdir()
        for name in programs:
            (built / name).touch()
        return built

    def test_what_was_built_runs_where_it_was_put(self):
        done = self.install(BUILT, "/opt/penstock")
        self.assertEqual(done.returncode, 0, done.stderr)
        bin_ = self.folder / "opt/penstock/bin"
        self.assertLessEqual({"penstock", "penstock-jobcomp"}, {path.name for path in bin_.iterdir()})
        ran = subprocess.run([bin_ / "penstock", "policies"], capture_output=True, text=True, timeout=60)
        self.assertIn("fifo", ran.stdout)

    def test_units_start_what_was_put_there(self):
        self.assertEqual(self.install(self.made_up("penstock", "penstock-jobcomp", "penstock-slurm"), "/opt/penstock/").stderr, "")
        units = self.folder / "opt/penstock/lib/systemd/system"
        self.assertEqual(sorted(path.name for path in units.iterdir()), ["penstock-agent.service", "penstock-release.service", "penstock.service"])
        for unit in units.iterdir():
            self.assertIn("\nExecStart=/opt/penstock/bin/penstock ", unit.read_text())
        shared = self.folder / "opt/penstock/share/penstock"
        self.assertTrue((shared / "examples/serve.toml").exists() and (shared / "slurm/job_submit.lua").exists())

    def test_a_missing_bridge_is_told(self):
        done = self.install(self.made_up("penstock", "penstock-jobcomp"), "/usr/local")
        self.assertEqual(done.returncode, 0)
        self.assertIn("libslurm-dev was missing", done.stderr)


if __name__ == "__main__":
    unittest.main()
