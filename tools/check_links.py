#!/usr/bin/env python3
"""Fails when a tracked Markdown file links to a file that is not there."""
import pathlib
import re
import subprocess
import sys

listed = subprocess.run(["git", "ls-files", "*.md"], capture_output=True, text=True, check=True).stdout
bad = []
for page in map(pathlib.Path, listed.splitlines()):
    for line, text in enumerate(page.read_text().splitlines(), 1):
        for target in re.findall(r"\]\(([^)\s]+)\)", text):
            path = target.split("#")[0]
            if path and not re.match(r"\w+:", path) and not (page.parent / path).exists():
                bad.append(f"{page}:{line}: links to {target}, which does not exist")
print("\n".join(bad) or f"links: {len(listed.splitlines())} pages, all lead somewhere")
sys.exit(bool(bad))
