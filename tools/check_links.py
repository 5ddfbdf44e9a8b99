#!/usr/bin/env python3
"""Fails when a tracked Markdown file links to a file, or to a heading of a page, that is not there."""
import functools
import pathlib
import re
import subprocess
import sys


@functools.cache
def anchors(page):
    """The headings of a page as GitHub names them in addresses."""
    without_code = re.sub(r"^\s*```.*?^\s*```", "", page.read_text(), flags=re.M | re.S)
    found = set()
    for heading in re.findall(r"^#+ (.*)$", without_code, re.M):
        text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading.strip().lower())
        name = re.sub(r"[^\w\- ]", "", text).replace(" ", "-")
        again = 0
        while (numbered := f"{name}-{again}" if again else name) in found:
            again += 1
        found.add(numbered)
    return found


def problem(page, target):
    """Why a link from a page leads nowhere; nothing if it leads somewhere."""
    path, _, anchor = target.partition("#")
    if re.match(r"\w+:", path):
        return None
    aim = page.parent / path if path else page
    if not aim.exists():
        return f"links to {target}, which does not exist"
    if anchor and aim.suffix == ".md" and anchor not in anchors(aim.resolve()):
        return f"links to {target}, but the page has no such heading"
    return None


def main():
    listed = subprocess.run(["git", "ls-files", "*.md"], capture_output=True, text=True, check=True).stdout.splitlines()
    bad = []
    for page in map(pathlib.Path, listed):
        for line, text in enumerate(page.read_text().splitlines(), 1):
            for target in re.findall(r"\]\(([^)\s]+)\)", text):
                if reason := problem(page, target):
                    bad.append(f"{page}:{line}: {reason}")
    print("\n".join(bad) or f"links: {len(listed)} pages, all lead somewhere")
    sys.exit(bool(bad))


if __name__ == "__main__":
    main()
