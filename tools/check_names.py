#!/usr/bin/env python3
"""Fails on a name that unnamed namespaces of two files of one layer both declare. The files of a layer are compiled
many at a time (PENSTOCK_UNIT), where such names meet: types clash, and a function, constant or enumerator of one
file can silently take the place of another's. Aliases that say the same are no clash.
check_names.py ROOT"""
import collections
import pathlib
import re
import sys

from cpp_text import code_of

UNNAMED = re.compile(r"\bnamespace\s*\{")
TYPE = re.compile(r"^(?:template\s*<.*>\s*)?(?:struct|class|union|enum(?:\s+(?:class|struct))?)\s+(\w+)", re.S)
ALIAS = re.compile(r"^(?:template\s*<.*>\s*)?using\s+(\w+)\s*=(.*)", re.S)
NAME_BEFORE = re.compile(r"(\w+)\s*$")


def body_from(code, begin):
    """The text between the brace before `begin` and its partner."""
    depth = 1
    for place in range(begin, len(code)):
        depth += {"{": 1, "}": -1}.get(code[place], 0)
        if depth == 0:
            return code[begin:place]
    return code[begin:]


def declarations_of(body):
    """(head, braces): each declaration of a namespace up to its brace or end, and what its braces hold."""
    place = begin = 0
    while place < len(body):
        if body[place] == "{":
            inside = body_from(body, place + 1)
            yield body[begin:place].strip(), inside
            place += len(inside) + 2
            if re.match(r"\s*;", body[place:]):
                place = body.index(";", place) + 1
            begin = place
        elif body[place] == ";":
            yield body[begin:place].strip(), ""
            place = begin = place + 1
        else:
            place += 1


def names_of(head, inside):
    """(name, meaning) of what a declaration declares; the same meaning twice is no clash."""
    head = re.sub(r"\[\[.*?\]\]", " ", head).strip()
    if alias := ALIAS.match(head):
        yield alias[1], " ".join(alias[2].split())
        return
    if declared := TYPE.match(head):
        yield declared[1], None
    if re.match(r"enum\b(?!\s+(class|struct)\b)", head):
        for entry in inside.split(","):
            if name := re.match(r"\s*(\w+)", entry):
                yield name[1], None
        return
    if declared or not head or head.startswith(("using ", "static_assert", "friend ", "namespace")):
        return
    if "operator" in head:
        return  # found by its operands
    before = re.split(r"[(=\[]", re.sub(r"<[^<>()]*>", " ", re.sub(r"<[^<>()]*>", " ", head)), maxsplit=1)[0]
    if re.match(r"^[A-Z_]+\s*$", before):
        return  # a macro, such as TEST
    name = NAME_BEFORE.search(before)
    if name and not name[1].isdigit() and "::" not in before.split()[-1]:
        yield name[1], None


def unnamed_names(text):
    """All that the unnamed namespaces of a file declare."""
    code = code_of(text)
    for found in UNNAMED.finditer(code):
        for head, inside in declarations_of(body_from(code, found.end())):
            yield from names_of(head, inside)


def layers_of(root):
    for folder in ("src", "tests"):
        if (root / folder).is_dir():
            yield from sorted(path for path in (root / folder).iterdir() if path.is_dir())


def main():
    root = pathlib.Path(sys.argv[1])
    bad = []
    for layer in layers_of(root):
        seen = collections.defaultdict(dict)  # name -> file -> its meanings
        for file in sorted(layer.rglob("*.cpp")):
            for name, meaning in unnamed_names(file.read_text()):
                seen[name].setdefault(str(file.relative_to(root)), set()).add(meaning)
        for name, files in sorted(seen.items()):
            meanings = set().union(*files.values())
            if len(files) > 1 and (None in meanings or len(meanings) > 1):
                bad.append(f"{layer.relative_to(root)}: {name} is declared in unnamed namespaces of {', '.join(files)}; "
                           "share it, or name each for what it is")
    print("\n".join(bad) or "names: clean")
    sys.exit(bool(bad))


main()
