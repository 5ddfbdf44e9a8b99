#!/usr/bin/env python3
"""Every penstock command that README.md and docs/policies.md show works, and what they list is what there is."""
import json
import os
import pathlib
import re
import shlex
import subprocess
import tempfile
import unittest

from program import DATA, PROGRAM, ROOT, main, penstock

README = pathlib.Path(os.environ.get("PENSTOCK_README", ROOT / "README.md"))
SHELL_BLOCK = re.compile(r"^```(?:sh|bash|shell|console)\b[^\n]*\n(.*?)^```", re.M | re.S)
OURS = re.compile(r"(?:\./)?(?:build/release/)?penstock(?= |$)")


def shell_lines(page):
    """What a reader would type: without prompts and comments, broken lines joined."""
    for block in SHELL_BLOCK.findall(page):
        for line in block.replace("\\\n", " ").splitlines():
            yield line.strip().removeprefix("$ ").strip()


def commands_of(page):
    return [line for line in shell_lines(page) if OURS.match(line)]


def subcommands(help_text):
    """The names below "Subcommands:" of a --help."""
    below = re.search(r"^subcommands:\n((?: +.*\n?)+)", help_text, re.M | re.I)
    return re.findall(r"^  (\w[\w-]*)", below.group(1), re.M) if below else []


def commands_without_a_row(page, names):
    """Which of these no row of the table of commands shows, as `penstock name ...` or `name`."""
    table = re.search(r"^## Commands\n(.*?)^## ", page, re.M | re.S).group(1)
    rows = re.findall(r"^\| (`[^|]*) \|", table, re.M)
    shown = {word for row in rows for word in re.findall(r"`(?:penstock )?(\w+)", row)}
    return [name for name in names if name not in shown]


def policies_of(page):
    """The first column of the table of all policies."""
    section = page.split("\n## All policies\n")[1].split("\n## ")[0]
    return re.findall(r"^\| `([^`]+)` \|", section, re.M)


def traits_of(page):
    """Which policies the page lists for each trait."""
    rows = re.findall(r"^\| `([^`]+)` \| [^|]* \| ([^|]*) \|$", page.split("\n## What they can do\n")[1], re.M)
    return {trait: re.findall(r"`([^`]+)`", policies) for trait, policies in rows}


def demo_rows(text, line):
    """Rows of figures by the name of the policy: of the README's table, or of what the program printed."""
    found = (re.match(line, row) for row in text.splitlines())
    return {row.group(1): row.group(2) for row in found if row}


def run(command, folder):
    """Runs it as a reader in a fresh clone would, without writing into this one."""
    ours = OURS.sub(shlex.quote(PROGRAM), command, count=1)
    ours = re.sub(r"(\||&&|;) *(\./)?(build/release/)?penstock ", rf"\1 {shlex.quote(PROGRAM)} ", ours)
    return subprocess.run(["bash", "-o", "pipefail", "-c", ours], cwd=folder, capture_output=True, text=True, timeout=120)


class Readme(unittest.TestCase):
    def test_finds_commands_in_shell_blocks_only(self):
        page = ("```sh\nmake demo\n$ penstock policies  # all\nbuild/release/penstock validate \\\n  a.toml\n```\n"
                "```toml\npenstock = 1\n```\nText with penstock simulate.\n```sh\n./build/release/penstock --version\npenstocks\n```\n")
        self.assertEqual(commands_of(page), ["penstock policies  # all", "build/release/penstock validate    a.toml",
                                             "./build/release/penstock --version"])

    def test_finds_the_commands_of_a_help_and_those_that_a_page_lacks(self):
        names = subcommands("Usage: penstock\n\nOptions:\n  -h  Help\n\nSubcommands:\n  plan      Plans\n  queue  Shows\n            more\n")
        self.assertEqual(names, ["plan", "queue"])
        page = "`penstock plan`\n## Commands\n| `penstock submit`, `queue` | x |\n## Pages\n"
        self.assertEqual(commands_without_a_row(page, names), ["plan"])

    def test_every_command_of_help_is_in_the_table_of_commands(self):
        names = subcommands(penstock("--help").stdout)
        self.assertIn("simulate", names)
        self.assertEqual(commands_without_a_row(README.read_text(), names), [])

    def test_every_policy_is_on_the_page_of_policies_and_no_other(self):
        entries = json.loads(penstock("policies", "--json").stdout)
        page = (ROOT / "docs/policies.md").read_text()
        self.assertEqual(policies_of(page), [entry["name"] for entry in entries])
        for trait, policies in traits_of(page).items():
            self.assertEqual(policies, [entry["name"] for entry in entries if trait in entry["traits"]], trait)
        listed = {trait for entry in entries for trait in entry["traits"]}
        self.assertEqual(listed - set(traits_of(page)), set())

    def test_the_table_of_the_demo_is_what_the_demo_prints(self):
        shown = demo_rows(README.read_text(), r"\| `([^`]+)` \| (\d.*) \|$")
        printed = demo_rows(penstock("simulate", DATA / "demo.toml", "--no-progress").stdout, r"(\S.*?)  +(\d.*)$")
        self.assertEqual(list(shown), list(printed))
        columns = (0, 1, 2, 4, 6, 7, 8, 9)  # without slowdown and GPU utilisation
        for policy, row in printed.items():
            cells = row.replace("*", "").split()
            self.assertEqual(shown[policy].split(" | "), [cells[column] for column in columns], policy)

    def test_every_command_works_in_the_order_of_the_page(self):
        commands = commands_of(README.read_text() + (ROOT / "docs/policies.md").read_text())
        self.assertGreaterEqual(len(commands), 3, "README.md should show at least three penstock commands in ```sh blocks")
        with tempfile.TemporaryDirectory() as folder:
            for entry in ROOT.iterdir():  # a clone as the reader has it, in which results may be written
                if entry.name not in (".git", "build", "out"):
                    (pathlib.Path(folder) / entry.name).symlink_to(entry)
            for command in commands:
                with self.subTest(command=command):
                    done = run(command, folder)
                    self.assertIn(done.returncode, (0, 141), done.stderr)  # 141: what was piped into head


if __name__ == "__main__":
    main()
