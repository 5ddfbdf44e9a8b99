#!/usr/bin/env python3
"""tools/wrap_docs.py fills prose and leaves alone what would render differently."""
import pathlib
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import wrap_docs  # noqa: E402

LONG = "word " * 30  # 150 columns


class WrapDocs(unittest.TestCase):
    def test_a_paragraph_is_broken_before_column_121_and_short_lines_are_joined(self):
        page = wrap_docs.wrap(LONG + "\nend.\n")
        self.assertEqual([len(line) for line in page.splitlines()], [119, 34])

    def test_items_keep_their_marks_and_are_indented_below_them(self):
        lines = wrap_docs.wrap("- " + LONG + "\n  1. " + LONG + "\n").splitlines()
        self.assertEqual([line[:6] for line in lines], ["- word", "  word", "  1. w", "     w"])

    def test_code_tables_headings_pictures_and_quotes_stay_as_they_are(self):
        page = f"# {LONG}\n| {LONG} |\n```\n{LONG}\n{LONG}\n```\n![x {LONG}](y)\n> {LONG}\n"
        self.assertEqual(wrap_docs.wrap(page), page)

    def test_code_and_the_address_of_a_link_are_not_broken(self):
        page = wrap_docs.wrap("x " * 55 + "`penstock plan REQUEST.json` and [a page](docs/a.md)\n")
        self.assertIn("\n`penstock plan REQUEST.json` and [a page](docs/a.md)", page)

    def test_no_line_begins_with_what_would_begin_a_list_or_a_heading(self):
        for mark in ("-", "1.", "#", "+", "> x"):
            for blanks in range(100, 121):
                page = wrap_docs.wrap("x" * blanks + f" y {mark} z z z z z z z z z z z z\n")
                self.assertFalse(any(line.startswith(mark) for line in page.splitlines()), (mark, blanks))

    def test_wrapping_twice_changes_nothing(self):
        page = wrap_docs.wrap(f"{LONG}\n\n- {LONG}\n  {LONG}\n")
        self.assertEqual(wrap_docs.wrap(page), page)


if __name__ == "__main__":
    unittest.main()
