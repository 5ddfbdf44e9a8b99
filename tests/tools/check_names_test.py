#!/usr/bin/env python3
"""tools/check_names.py finds names that unnamed namespaces of two files of a layer both declare."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]


def unnamed(text):
    return "namespace penstock {\nnamespace {\n" + text + "\n}  // namespace\n}  // namespace penstock\n"


def check(first, second, second_file="src/base/sub/b.cpp"):
    """Exit code, and the names of which it complains."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in (("src/base/a.cpp", first), (second_file, second)):
            file = pathlib.Path(folder) / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
        done = subprocess.run([sys.executable, ROOT / "tools/check_names.py", folder], capture_output=True, text=True)
        return done.returncode, [line.split()[1] for line in done.stdout.splitlines() if " is declared in " in line]


class CheckNames(unittest.TestCase):
    def test_our_own_files_are_clean(self):
        done = subprocess.run([sys.executable, ROOT / "tools/check_names.py", ROOT], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout), (0, "names: clean\n"))

    def test_every_kind_of_declaration_is_found(self):
        for name, text in (("f", "int f(int a, B b) {\n  return g(a);\n}"), ("f", "std::vector<A<B, 3>> f();"),
                           ("Kind", "struct Kind {\n  int a = 0;\n};"), ("Kind", "enum class Kind : int { one, two };"),
                           ("kMost", "constexpr double kMost = 3;"), ("kAll", "const std::array<int, 2> kAll{1, 2};"),
                           ("Json", "using Json = nlohmann::json;\nusing Other = int;"),
                           ("f", "template <class T>\nT f(T t) {\n  return t;\n}"), ("f", "[[nodiscard]] int f() { return 1; }")):
            different = f"int {name} = 0;"
            self.assertEqual(check(unnamed("int x = 0;\n" + text), unnamed(different)), (1, [name]), text)

    def test_enumerators_without_a_class_are_names_too(self):
        self.assertEqual(check(unnamed("enum { alpha, delta, kCount };"), unnamed("double delta(double x);")), (1, ["delta"]))
        self.assertEqual(check(unnamed("enum class E { delta };"), unnamed("double delta(double x);")), (0, []))

    def test_aliases_that_say_the_same_are_no_clash(self):
        self.assertEqual(check(unnamed("using Json = nlohmann::json;"), unnamed("using Json = nlohmann::json;")), (0, []))
        self.assertEqual(check(unnamed("using Json = nlohmann::json;"), unnamed("using Json = int;")), (1, ["Json"]))

    def test_members_locals_operators_and_named_namespaces_do_not_clash(self):
        for text in ("struct A {\n  int f() { return 1; }\n  int x = 0;\n};", "int g() {\n  int f = 0;\n  return f;\n}",
                     "bool operator==(A a, B b) { return true; }", "TEST(A, f) {\n  int x = 0;\n}"):
            other = text.replace("A", "C").replace("int g", "int h")
            self.assertEqual(check(unnamed(text), unnamed(other)), (0, []), text)
        self.assertEqual(check("namespace n {\nint f() { return 1; }\n}\n", unnamed("int f();")), (0, []))

    def test_layers_and_their_tests_are_compiled_apart(self):
        self.assertEqual(check(unnamed("int f();"), unnamed("int f();"), "src/model/b.cpp"), (0, []))
        self.assertEqual(check(unnamed("int f();"), unnamed("int f();"), "tests/base/b_test.cpp"), (0, []))


if __name__ == "__main__":
    unittest.main()
