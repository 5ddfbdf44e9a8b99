#!/usr/bin/env python3
"""docs/add-a-policy.md is short, and what it names is there. Its examples are compiled and run by sim_test."""
import pathlib
import re
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "tools"))
from page_examples import examples_of  # noqa: E402

PAGE = (ROOT / "docs" / "add-a-policy.md").read_text()


class AddAPolicy(unittest.TestCase):
    def test_shows_first_come_first_served_in_thirty_lines_with_its_row(self):
        fifo = examples_of(PAGE)[0]
        self.assertIn("class MyFifo", fifo)
        row = re.search(r"^```cpp\n(PolicyEntry my_fifo_entry.*?)^```", PAGE, re.S | re.M)[1]
        self.assertLessEqual(len((fifo + row).splitlines()), 30)

    def test_says_how_long_the_example_is(self):
        self.assertIn(f"takes {len(examples_of(PAGE)[0].splitlines())} lines", " ".join(PAGE.split()))

    def test_names_files_that_there_are(self):
        named = re.findall(r"`((?:src/|tests/)?[a-z_]+/[\w/]+\.(?:h|cpp))`", PAGE)
        self.assertGreater(len(named), 8)
        for name in named:
            there = ROOT / name if name.startswith(("src/", "tests/")) else ROOT / "src" / name
            self.assertTrue(there.exists() or "my_fifo" in name, name)


if __name__ == "__main__":
    unittest.main()
