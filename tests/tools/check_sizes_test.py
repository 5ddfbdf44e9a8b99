#!/usr/bin/env python3
"""tools/check_sizes.py finds functions of more than 40 lines and files of more than 600."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]


def check(text, name="src/base/a.cpp"):
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / name
        file.parent.mkdir(parents=True)
        file.write_text(text)
        done = subprocess.run([sys.executable, ROOT / "tools/check_sizes.py", folder], capture_output=True, text=True)
        return done.returncode, done.stdout.strip()


def function(lines, head="int f() {", line="  g();"):
    return head + "\n" + (line + "\n") * (lines - 2) + "}\n"


class CheckSizes(unittest.TestCase):
    def test_our_own_files_are_clean(self):
        done = subprocess.run([sys.executable, ROOT / "tools/check_sizes.py", ROOT], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout), (0, "sizes: clean\n"))

    def test_forty_lines_are_fine_and_forty_one_are_not(self):
        self.assertEqual(check(function(40)), (0, "sizes: clean"))
        self.assertEqual(check("\n\n" + function(41)),
                         (1, "src/base/a.cpp:3: 41 lines; a function has at most 40: int f() {"))

    def test_functions_in_namespaces_classes_and_after_other_code_are_found(self):
        for head in ("void A::f(int a) const {", "A::A(int a) : a_(a), b_{a} {", "bool operator==(A a, A b) {",
                     "template <class T>\nT f(T t) {", "TEST(A, b) {"):
            text = "namespace n {\nstruct B {\n  int x = 0;\n};\nconst int k = 3;\n" + function(42, head) + "}\n"
            self.assertEqual(check(text)[0], 1, head)
        self.assertEqual(check("class A {\n public:\n" + function(41, "  int f() {") + "};\n")[0], 1)

    def test_classes_namespaces_and_tables_may_be_longer(self):
        self.assertEqual(check("namespace n {\n" + function(5) * 50 + "}\n"), (0, "sizes: clean"))
        self.assertEqual(check("class A {\n" + "  int f() { return 1; }\n" * 60 + "};\n"), (0, "sizes: clean"))
        self.assertEqual(check("const auto k = make({\n" + "  {1, 2},\n" * 60 + "});\n"), (0, "sizes: clean"))

    def test_lines_that_hold_only_texts_and_comments_do_not_count(self):
        self.assertEqual(check(function(60, line='      "a text {"')), (0, "sizes: clean"))
        self.assertEqual(check(function(60, line="  // what follows {")), (0, "sizes: clean"))

    def test_a_file_of_more_than_600_lines_is_named(self):
        self.assertEqual(check("int a;\n" * 601, "tests/base/b.h"),
                         (1, "tests/base/b.h: 601 lines; a file has at most 600"))


if __name__ == "__main__":
    unittest.main()
