#!/usr/bin/env python3
"""Fails when a file includes a layer that CMakeLists.txt does not allow it to use."""
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])
allowed = {}
for what, name, uses in re.findall(r"^add_(layer|program|tool|slurm_tool)\((\w+)(?: penstock-\w+)?(?:\s+USES ([\w ]+?))?(?:\s+NEEDS [^)]*)?\)",
                                   (root / "CMakeLists.txt").read_text(), re.M):
    name = "app" if what == "program" else name
    direct = uses.split()
    allowed[name] = {name, *direct, *(x for d in direct for x in allowed[d])}

bad = []
for file in sorted((root / "src").rglob("*.[hc]*")):
    layer = file.relative_to(root / "src").parts[0]
    if layer not in allowed:
        bad.append(f"{file.relative_to(root)}: CMakeLists.txt declares no layer {layer}")
        continue
    for line, text in enumerate(file.read_text().splitlines(), 1):
        found = re.match(r'\s*#\s*include "(\w+)/', text)
        if found and found[1] not in allowed[layer]:
            bad.append(f"{file.relative_to(root)}:{line}: {layer} may not use {found[1]}")
print("\n".join(bad) or "layers: clean")
sys.exit(bool(bad))
