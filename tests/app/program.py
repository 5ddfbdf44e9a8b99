"""Runs the built program, whose path is the test's first argument (or PENSTOCK), as a user would."""
import os
import pathlib
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
DATA = ROOT / "data"
SCENARIOS = [DATA / "demo.toml", *sorted(DATA.glob("scenarios/*.toml"))]


def _path():
    if len(sys.argv) > 1 and not sys.argv[1].startswith("-") and os.access(sys.argv[1], os.X_OK):
        return str(pathlib.Path(sys.argv.pop(1)).resolve())
    return os.environ.get("PENSTOCK", str(ROOT / "build/release/penstock"))


PROGRAM = _path()


def penstock(*arguments, cwd=None):
    """What the program did: returncode, stdout and stderr, both as text."""
    return subprocess.run([PROGRAM, *map(str, arguments)], cwd=cwd, capture_output=True, text=True, timeout=60)


def files_below(folder):
    """Every file and folder below it, by relative name; links are not followed."""
    return sorted(str(path.relative_to(folder)) for path in pathlib.Path(folder).rglob("*"))


main = unittest.main
