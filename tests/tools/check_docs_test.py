#!/usr/bin/env python3
"""tools/check_docs.py accepts pages that agree with the code and names each kind of mistake."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
GOOD = {
    "README.md": "# P\n[design](docs/design.md) and [formats](docs/formats.md#all)\n",
    "docs/design.md": "# Design\n## Actions\n| action | |\n|---|---|\n| `Start` | x |\n## Events\n| `JobEnded` | x |\n",
    "docs/formats.md": "# Formats\n[one](formats/one.md)\n",
    "docs/formats/one.md": "# One\n",
    "CONTRIBUTING.md": "# C\n| step | checks that |\n|---|---|\n| `links`, `format` | x |\n\n| `y` | x |\n",
    "tools/check.sh": "steps=(links format)\n",
    "CMakeLists.txt": "add_layer(base)\nadd_layer(model USES base)\nadd_program(penstock USES model)\n",
    "src/base/ids.h": "struct Id {};\n",
    "src/app/main.cpp": "int main() {}\n",
    "src/model/event.h": "struct Start {};\nusing Action = std::variant<Start>;\nusing Event =\n    std::variant<JobEnded>;\n",
    "src/README.md": ("# Map\n## The folders\n| folder | |\n|---|---|\n| `base/` | x |\n| `model/` | x |\n| `app/` | x |\n"
                      "## Glossary\n| word | type | meaning |\n|---|---|---|\n| action | `Action` | x |\n| id | `Id<T>` | x |\n"),
}


def check(root):
    done = subprocess.run([sys.executable, ROOT / "tools/check_docs.py", root], capture_output=True, text=True)
    return done.returncode, done.stdout.strip()


def check_with(**changed):
    """What is said of the good pages, of which some have other text."""
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for name, text in {**GOOD, **changed.get("files", {})}.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text)
        return check(root)


class CheckDocs(unittest.TestCase):
    def test_our_own_pages_are_as_the_code_says(self):
        self.assertEqual(check(ROOT), (0, "docs: as the code says"))

    def test_good_pages_pass(self):
        self.assertEqual(check_with(), (0, "docs: as the code says"))

    def test_a_long_readme_is_named(self):
        self.assertEqual(check_with(files={"README.md": GOOD["README.md"] + "\n" * 149}),
                         (1, "README.md has 151 lines, more than 150"))

    def test_a_wide_table_of_the_readme_is_named(self):
        self.assertEqual(check_with(files={"README.md": GOOD["README.md"] + "|" + "x" * 120 + "\n"}),
                         (1, "README.md:3: 121 columns, more than 120"))

    def test_prose_beyond_120_columns_is_named_and_tables_and_code_are_not(self):
        page = "# One\n" + "x " * 61 + "\n|" + "x" * 130 + "|\n```\n" + "x" * 130 + "\n```\n"
        self.assertEqual(check_with(files={"docs/formats/one.md": page}),
                         (1, "docs/formats/one.md:2: 122 columns; tools/wrap_docs.py wraps them"))

    def test_a_page_that_no_link_leads_to_is_named(self):
        self.assertEqual(check_with(files={"docs/lost.md": "# Lost\n"}),
                         (1, "docs/lost.md: no link leads here from README.md"))

    def test_a_missing_and_an_unknown_action_are_named(self):
        page = GOOD["docs/design.md"].replace("`Start`", "`Stop`")
        self.assertEqual(check_with(files={"docs/design.md": page}),
                         (1, "docs/design.md, Actions, lacks `Start`\n"
                             "docs/design.md, Actions, has `Stop`, which the code does not have"))

    def test_a_missing_event_is_named(self):
        page = GOOD["docs/design.md"].replace("| `JobEnded` | x |\n", "")
        self.assertEqual(check_with(files={"docs/design.md": page}), (1, "docs/design.md, Events, lacks `JobEnded`"))

    def test_a_layer_without_a_row_and_a_row_without_a_folder_are_named(self):
        page = GOOD["src/README.md"].replace("| `model/` |", "| `base/text/` |")
        self.assertEqual(check_with(files={"src/README.md": page}),
                         (1, "src/README.md, The folders, lacks `model`\n"
                             "src/README.md, The folders, has `base/text/`, which is no folder below src/"))

    def test_a_step_that_is_not_explained_is_named(self):
        self.assertEqual(check_with(files={"tools/check.sh": "steps=(links format sizes)\n"}),
                         (1, "CONTRIBUTING.md lacks the step `sizes` of tools/check.sh"))

    def test_a_path_that_does_not_exist_is_named(self):
        page = "# One\nSee `model/event.h`, `src/base/ids.h` and `fuzz/fuzz_x.cpp`.\n"
        self.assertEqual(check_with(files={"docs/formats/one.md": page}),
                         (1, "docs/formats/one.md:2: names `fuzz/fuzz_x.cpp`, which does not exist"))

    def test_a_member_or_function_that_is_gone_is_named(self):
        page = "# One\n`std::optional`, `Id::gone()`, `Id::Start`, `make_it(x)` and `max(0, 1)`.\n"
        self.assertEqual(check_with(files={"docs/formats/one.md": page}),
                         (1, "docs/formats/one.md:2: names `Id::gone()`, which the code does not have\n"
                             "docs/formats/one.md:2: names `make_it(x)`, which the code does not have"))

    def test_a_glossary_out_of_order_is_named(self):
        page = GOOD["src/README.md"].replace("| action | `Action`", "| zone | `Action`")
        self.assertEqual(check_with(files={"src/README.md": page}),
                         (1, "src/README.md, Glossary: 'id' stands after 'zone'"))

    def test_a_type_of_the_glossary_that_is_gone_is_named(self):
        page = GOOD["src/README.md"].replace("`Id<T>`", "`Desk`")
        self.assertEqual(check_with(files={"src/README.md": page}),
                         (1, "src/README.md, Glossary: `Desk` (id) is defined nowhere below src/"))


if __name__ == "__main__":
    unittest.main()
