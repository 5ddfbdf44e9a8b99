#!/usr/bin/env python3
"""tools/check_layers.py lets an include go down and stops one that climbs."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
LAYERS = "add_layer(base)\nadd_layer(model  USES base)\nadd_layer(io USES model NEEDS fmt::fmt\n  INNER deep.h)\nadd_layer(run USES base TESTS_USE io UNIT 4 QUICK_BUILD)\nadd_program(penstock USES io)\nadd_tool(hook penstock-hook)\nadd_slurm_tool(slurm penstock-slurm USES base NEEDS fmt::fmt)\n"


def check(root):
    done = subprocess.run([sys.executable, ROOT / "tools/check_layers.py", root], capture_output=True, text=True)
    return done.returncode, done.stdout.strip()


def check_tree(files):
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        (root / "CMakeLists.txt").write_text(LAYERS)
        for name, text in files.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text)
        return check(root)


class CheckLayers(unittest.TestCase):
    def test_our_own_layers_are_clean(self):
        self.assertEqual(check(ROOT), (0, "layers: clean"))

    def test_a_layer_may_use_what_lies_below_also_by_way_of_others(self):
        self.assertEqual(check_tree({"src/io/a.cpp": '#include "model/b.h"\n#include "base/c.h"\n#include "io/a.h"\n'}),
                         (0, "layers: clean"))

    def test_an_include_that_climbs_is_named_with_its_line(self):
        self.assertEqual(check_tree({"src/model/job.h": '#pragma once\n#include "io/trace.h"\n'}),
                         (1, "src/model/job.h:2: model may not use io"))

    def test_an_include_that_climbs_in_a_subfolder_with_a_blank_after_the_hash_is_found(self):
        self.assertEqual(check_tree({"src/base/deep/x.cpp": '#  include "model/job.h"\n'}),
                         (1, "src/base/deep/x.cpp:1: base may not use model"))

    def test_tests_may_also_use_what_only_they_link(self):
        self.assertEqual(check_tree({"tests/run/a_test.cpp": '#include "model/b.h"\n#include "worlds/w.h"\n',
                                     "tests/io/a_test.cpp": '#include "base/b.h"\n#include "run/c.h"\n',
                                     "src/run/a.cpp": '#include "io/b.h"\n'}),
                         (1, "src/run/a.cpp:1: run may not use io\ntests/io/a_test.cpp:2: tests of io may not use run"))

    def test_nobody_includes_the_program(self):
        self.assertEqual(check_tree({"src/io/a.cpp": '#include "app/main.h"\n'}),
                         (1, "src/io/a.cpp:1: io may not use app"))

    def test_a_program_beside_the_product_has_its_own_layers(self):
        self.assertEqual(check_tree({"src/slurm/a.cpp": '#include "base/b.h"\n', "src/hook/a.cpp": '#include "base/b.h"\n'}),
                         (1, "src/hook/a.cpp:1: hook may not use base"))

    def test_a_folder_that_the_build_file_does_not_declare_is_named(self):
        self.assertEqual(check_tree({"src/utils/x.h": "#pragma once\n"}),
                         (1, "src/utils/x.h: CMakeLists.txt declares no layer utils"))

    def test_a_type_that_two_files_define_is_named_with_both(self):
        one = "namespace penstock {\n\nstruct Pool {\n};\n\n}  // namespace penstock\n"
        self.assertEqual(check_tree({"src/io/a.h": one, "src/model/b.h": one}),
                         (1, "src/model/b.h:3: penstock::Pool is the name of a type at src/io/a.h:3 already"))

    def test_types_that_no_other_file_sees_may_share_a_name(self):
        hidden = "namespace penstock {\nnamespace {\n\nclass Pool {\n};\n\n}  // namespace\n}  // namespace penstock\n"
        inner = "namespace penstock {\n\nstruct Pool;\nstruct Pool::Place {\n};\n\n}  // namespace penstock\n"
        other = "namespace penstock::agent {\n\nstruct Pool {\n};\n\n}  // namespace penstock::agent\n"
        self.assertEqual(check_tree({"src/io/a.cpp": hidden, "src/io/b.cpp": hidden, "src/io/c.cpp": inner, "src/io/d.h": other}),
                         (0, "layers: clean"))


if __name__ == "__main__":
    unittest.main()
