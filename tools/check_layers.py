#!/usr/bin/env python3
"""Fails when a file, or a test, includes a layer that CMakeLists.txt does not allow it to use, or when two files
define a type of one name: the linker takes either of them, and a program that has both goes astray."""
import pathlib
import re
import sys

KEYWORDS = ("USES", "NEEDS", "INNER", "TESTS_USE", "COMPUTES", "QUICK_BUILD", "QUICK_FOLDERS", "UNIT")
root = pathlib.Path(sys.argv[1])
allowed = {}  # what each layer may include
in_tests = {}  # what its tests may include besides
for what, words in re.findall(r"^add_(layer|program|tool|slurm_tool)\(([^)]*)\)", (root / "CMakeLists.txt").read_text(), re.M):
    lists = {"": []}
    for word in words.split():
        if word in KEYWORDS:
            lists[word] = []
        else:
            lists[list(lists)[-1]].append(word)
    name = "app" if what == "program" else lists[""][0]
    direct = lists.get("USES", [])
    allowed[name] = {name, *direct, *(x for d in direct for x in allowed[d])}
    in_tests[name] = lists.get("TESTS_USE", [])


def types_of(text):
    """The types that a file defines for all to see, with their namespaces, and the lines of them."""
    spaces = []
    for line, code in enumerate(text.splitlines(), 1):
        if opened := re.match(r"namespace ?([\w:]*) ?{$", code):
            spaces.append(opened[1])
        elif code.startswith("}  // namespace"):
            spaces.pop()
        elif (found := re.match(r"(?:struct|class|enum class|enum|union) (\w+)\b(?!::)[^;]*$", code)) and "" not in spaces:
            yield "::".join([*spaces, found[1]]), line


bad = []
first_of = {}
for file in sorted((root / "src").rglob("*.[hc]*")):
    layer = file.relative_to(root / "src").parts[0]
    if layer not in allowed:
        bad.append(f"{file.relative_to(root)}: CMakeLists.txt declares no layer {layer}")
        continue
    text = file.read_text()
    for name, line in types_of(text):
        here = f"{file.relative_to(root)}:{line}"
        if first_of.setdefault(name, here) != here:
            bad.append(f"{here}: {name} is the name of a type at {first_of[name]} already")
    for line, text in enumerate(text.splitlines(), 1):
        found = re.match(r'\s*#\s*include "(\w+)/', text)
        if found and found[1] not in allowed[layer]:
            bad.append(f"{file.relative_to(root)}:{line}: {layer} may not use {found[1]}")
for layer, others in in_tests.items():
    known = allowed[layer].union(*(allowed[other] for other in others))
    for file in sorted((root / "tests" / layer).rglob("*.[hc]*")) if layer != "app" else []:
        for line, text in enumerate(file.read_text().splitlines(), 1):
            found = re.match(r'\s*#\s*include "(\w+)/', text)
            if found and found[1] in allowed and found[1] not in known:
                bad.append(f"{file.relative_to(root)}:{line}: tests of {layer} may not use {found[1]}")
print("\n".join(bad) or "layers: clean")
sys.exit(bool(bad))
