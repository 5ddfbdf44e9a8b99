"""Tests with real daemons depend on how busy the machine is: what fails is run once more, on fresh clusters, and said."""
import os
import sys
import unittest

AGAIN = "PENSTOCK_SLURM_TESTS_AGAIN"


def main(programs=None):
    """unittest.main(); `programs` is the folder that the test was given."""
    done = unittest.main(argv=sys.argv, exit=False).result
    if done.wasSuccessful():
        sys.exit(0)
    failed = [test.id().removeprefix("__main__.") for test, _ in done.failures + done.errors]
    if AGAIN in os.environ:
        sys.exit(1)
    named = [] if any("(" in name for name in failed) else failed  # without its clusters all tests fail
    print(f"these failed and are run once more: {' '.join(failed)}", file=sys.stderr, flush=True)
    os.environ[AGAIN] = "1"
    os.execv(sys.executable, [sys.executable, sys.argv[0], *([str(programs)] if programs else []), *named])
