#!/usr/bin/env python3
"""Wraps the prose of Markdown pages at 120 columns. What a page renders to does not change.

wrap_docs.py [--check] [PAGE...]   without pages: every tracked page
"""
import pathlib
import re
import subprocess
import sys

WIDTH = 120
FENCE = re.compile(r"^\s*(```|~~~)")
ITEM = re.compile(r"^(\s*)([-*+]|\d+[.)])(\s+)(?=\S)")
VERBATIM = re.compile(r"^\s*(\||#|>|<|!\[|\[[^\]]+\]:|---|===)")
# A word is a run without blanks; code and the addresses of links stay in one piece.
WORD = re.compile(r"(?:`[^`\n]*`|\]\([^)\n]*\)|[^\s`])+|`")
# What must not begin a line, because it would begin a list, a heading, a quote or a table there.
STARTS_BLOCK = re.compile(r"^([-+*]|\d+[.)]|#+|>.*|\|.*|=+|-{3,}|<.*|```.*)$")


def fill(words, first, rest):
    """Words laid out greedily; the first line is indented by `first`, the others by `rest`."""
    lines, line = [], first
    for index, word in enumerate(words):
        blank = "" if index == 0 else " "
        following = words[index + 1] if index + 1 < len(words) else ""
        too_long = len(line) + len(blank) + len(word) > WIDTH
        if index and too_long and not STARTS_BLOCK.match(word):
            lines.append(line)
            line = rest + word
        elif index and STARTS_BLOCK.match(following) and len(line) + len(blank + word) + 1 + len(following) > WIDTH:
            lines.append(line)
            line = rest + word
        else:
            line += blank + word
    return [*lines, line]


def wrap(text):
    """The page with each paragraph and list item filled; code, tables and headings as they are."""
    out, paragraph = [], []
    first = rest = ""
    fenced = False

    def flush():
        nonlocal paragraph
        if paragraph:
            out.extend(fill(WORD.findall(" ".join(paragraph)), first, rest))
        paragraph = []

    for line in text.split("\n"):
        if FENCE.match(line):
            flush()
            fenced = not fenced
            out.append(line)
        elif fenced or not line.strip() or VERBATIM.match(line):
            flush()
            out.append(line)
        elif item := ITEM.match(line):
            flush()
            first = item.group(0)
            rest = " " * len(first)
            paragraph = [line[item.end():]]
        elif paragraph:
            hard_break = paragraph[-1].endswith(("  ", "\\"))
            if hard_break:
                flush()
                first = rest
            paragraph.append(line.strip())
        else:
            first = rest = re.match(r"\s*", line).group(0)
            paragraph = [line.strip()]
    flush()
    return "\n".join(out)


def pages_of_project():
    return subprocess.run(["git", "ls-files", "*.md"], capture_output=True, text=True, check=True).stdout.splitlines()


def main():
    check = "--check" in sys.argv
    named = [argument for argument in sys.argv[1:] if not argument.startswith("--")]
    unwrapped = []
    for page in map(pathlib.Path, named or pages_of_project()):
        before = page.read_text()
        after = wrap(before)
        assert before.split() == after.split(), f"{page}: words changed"
        if before != after:
            unwrapped.append(str(page))
            if not check:
                page.write_text(after)
    if check and unwrapped:
        print("not wrapped at 120 columns; run tools/wrap_docs.py:", *unwrapped, sep="\n  ")
        sys.exit(1)
    print(f"wrapped: {len(unwrapped)} pages changed" if unwrapped else "wrapped: every page")


if __name__ == "__main__":
    main()
