#!/usr/bin/env python3
"""Every penstock command that README.md shows works."""
import os
import pathlib
import re
import shlex
import subprocess
import tempfile
import unittest

from program import PROGRAM, ROOT, main

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

    def test_every_command_works_in_the_order_of_the_page(self):
        commands = commands_of(README.read_text())
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
