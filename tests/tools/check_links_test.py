#!/usr/bin/env python3
"""tools/check_links.py follows links to files and headings and names those that lead nowhere."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]


def check(pages):
    with tempfile.TemporaryDirectory() as folder:
        for name, text in pages.items():
            (pathlib.Path(folder) / name).parent.mkdir(parents=True, exist_ok=True)
            (pathlib.Path(folder) / name).write_text(text)
        subprocess.run(["git", "init", "-q"], cwd=folder, check=True)
        subprocess.run(["git", "add", "."], cwd=folder, check=True)
        done = subprocess.run([sys.executable, ROOT / "tools/check_links.py"], cwd=folder, capture_output=True, text=True)
        return done.returncode, done.stdout.strip()


class CheckLinks(unittest.TestCase):
    def test_links_to_files_headings_and_other_sites_pass(self):
        self.assertEqual(check({"a.md": "# A\n[b](docs/b.md#set-up-of-x-1) [here](#a) [net](https://x.y/z)\n",
                                "docs/b.md": "## Set-up of `x`!\n```\n# no heading\n```\n## Set-up of x\n"}),
                         (0, "links: 2 pages, all lead somewhere"))

    def test_a_missing_file_and_a_missing_heading_are_named_with_their_line(self):
        self.assertEqual(check({"a.md": "# A\n[c](c.md)\n[no](b.md#no)\n", "b.md": "# B\n```\n# no\n```\n"}),
                         (1, "a.md:2: links to c.md, which does not exist\n"
                             "a.md:3: links to b.md#no, but the page has no such heading"))


if __name__ == "__main__":
    unittest.main()
