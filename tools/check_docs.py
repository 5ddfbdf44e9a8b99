#!/usr/bin/env python3
"""Fails when the pages say something else than the code, or when nobody would find or read them.

check_docs.py ROOT

- README.md has at most 150 lines, and no line is longer than 120 columns.
- Prose of all pages is wrapped at 120 columns (tools/wrap_docs.py does it).
- Every page below docs/ can be reached from README.md by links.
- docs/design.md lists exactly the actions and events of src/model/event.h.
- src/README.md lists exactly the layers and programs of CMakeLists.txt.
- CONTRIBUTING.md explains every step of tools/check.sh.
- Every source, test, tool or script that a page names in code, such as `engine/ledger.cpp`, exists.
- Every member or function that a page names, such as `Backend::pace()` or `make_plan(...)`, occurs below src/.
- The glossary of src/README.md is in alphabetical order, and every type that it names is defined below src/.
"""
import pathlib
import re
import sys

COLUMNS = 120
README_LINES = 150
FENCE = re.compile(r"^\s*(```|~~~)")
LINK = re.compile(r"\]\(([^)\s#]+)[^)\s]*\)")
CODE_ROW = re.compile(r"^\| `([^`]+)`", re.M)


def pages(root):
    """Every page of the project, without what builds and tools leave behind."""
    skip = {"build", "out", "node_modules"}
    for page in sorted(root.rglob("*.md")):
        parts = page.relative_to(root).parts
        if not skip & set(parts) and not any(part.startswith(".") for part in parts):
            yield page


def prose_and_table_lines(text):
    """The lines of a page, numbered, without blocks of code."""
    fenced = False
    for number, line in enumerate(text.splitlines(), 1):
        if FENCE.match(line):
            fenced = not fenced
        elif not fenced:
            yield number, line


def prose_lines(text):
    """The lines of a page, numbered, without blocks of code and tables."""
    return ((number, line) for number, line in prose_and_table_lines(text) if not line.lstrip().startswith("|"))


def section(text, title):
    """What stands between the heading `title` and the next one; empty if there is none."""
    found = re.search(rf"^#+ {re.escape(title)}\n(.*?)(?=^#+ |\Z)", text, re.M | re.S)
    return found.group(1) if found else ""


def differences(where, listed, defined):
    """What a list lacks or has too much, as sentences."""
    missing = [f"{where} lacks `{name}`" for name in defined if name not in listed]
    unknown = [f"{where} has `{name}`, which the code does not have" for name in listed if name not in defined]
    return missing + unknown


def check_readme_size(root):
    lines = (root / "README.md").read_text().splitlines()
    if len(lines) > README_LINES:
        yield f"README.md has {len(lines)} lines, more than {README_LINES}"
    for number, line in enumerate(lines, 1):
        if len(line) > COLUMNS:
            yield f"README.md:{number}: {len(line)} columns, more than {COLUMNS}"


def check_wrapped(root):
    for page in pages(root):
        for number, line in prose_lines(page.read_text()):
            if len(line) > COLUMNS:
                yield f"{page.relative_to(root)}:{number}: {len(line)} columns; tools/wrap_docs.py wraps them"


def check_linked(root):
    reached, todo = set(), [root / "README.md"]
    while todo:
        page = todo.pop()
        if page in reached:
            continue
        reached.add(page)
        targets = (page.parent / target for target in LINK.findall(page.read_text()))
        todo += [target.resolve() for target in targets if target.suffix == ".md" and target.exists()]
    for page in pages(root):
        if page.relative_to(root).parts[0] == "docs" and page not in reached:
            yield f"{page.relative_to(root)}: no link leads here from README.md"


def variant_members(header, name):
    """The alternatives of `using name = std::variant<...>`."""
    found = re.search(rf"using {name} =\s*std::variant<([^>]*)>", header)
    return [member.strip() for member in found.group(1).split(",")] if found else []


def check_vocabulary(root):
    header = (root / "src/model/event.h").read_text()
    page = (root / "docs/design.md").read_text()
    for title, variant in (("Actions", "Action"), ("Events", "Event")):
        members = variant_members(header, variant)
        if not members:
            yield f"src/model/event.h: no variant {variant}"
        yield from differences(f"docs/design.md, {title},", CODE_ROW.findall(section(page, title)), members)


def declared_layers(root):
    text = (root / "CMakeLists.txt").read_text()
    for what, name in re.findall(r"^add_(layer|program|tool|slurm_tool)\((\w+)", text, re.M):
        yield "app" if what == "program" else name


def check_layers(root):
    rows = CODE_ROW.findall(section((root / "src/README.md").read_text(), "The folders"))
    listed = list(dict.fromkeys(row.split("/")[0] for row in rows))
    yield from differences("src/README.md, The folders,", listed, list(declared_layers(root)))
    for row in rows:
        if not (root / "src" / row).is_dir():
            yield f"src/README.md, The folders, has `{row}`, which is no folder below src/"


def check_names(root):
    """Names of the code that can be told from other words: with `::`, or a call with an underscore in its name."""
    name = re.compile(r"`(?:\w+::)+~?(\w+)(?:\([^`]*\))?`|`(\w+_\w+)\([^`]*\)`")
    files = [root / "CMakeLists.txt", *(root / "src").rglob("*.[hc]*")]
    words = {word for file in files for word in re.findall(r"\w+", file.read_text())}
    for page in pages(root):
        for number, line in prose_and_table_lines(page.read_text()):
            for found in name.finditer(line):
                if "`std::" not in found.group(0) and (found.group(1) or found.group(2)) not in words:
                    yield f"{page.relative_to(root)}:{number}: names {found.group(0)}, which the code does not have"


def defined_types(root):
    """Every name that a header or source below src/ defines as a type."""
    defined = re.compile(r"\b(?:class|struct|enum class|union)\s+(?:\[\[\w+\]\]\s+)?(\w+)\b(?!\s*;)|\busing\s+(\w+)\s*=")
    return {a or b for file in (root / "src").rglob("*.[hc]*") for a, b in defined.findall(file.read_text())}


def check_glossary(root):
    rows = re.findall(r"^\| ([^|]+?) \|([^|]*)\|", section((root / "src/README.md").read_text(), "Glossary"), re.M)
    rows = [row for row in rows if row[0] not in ("word", "---") and set(row[0]) != {"-"}]
    if not rows:
        yield "src/README.md has no glossary"
    words = [word.lower() for word, _ in rows]
    for before, after in zip(words, words[1:]):
        if before >= after:
            yield f"src/README.md, Glossary: '{after}' stands after '{before}'"
    known = defined_types(root)
    for word, types in rows:
        for name in re.findall(r"`(\w+)(?:<[^`]*|::\w+)?`", types):
            if name not in known:
                yield f"src/README.md, Glossary: `{name}` ({word}) is defined nowhere below src/"


def check_steps(root):
    steps = re.search(r"^steps=\(([^)]*)\)", (root / "tools/check.sh").read_text(), re.M).group(1).split()
    table = (root / "CONTRIBUTING.md").read_text().split("| step |")[1].split("\n\n")[0]
    listed = [step for row in re.findall(r"^\| (`[^|]*) \|", table, re.M) for step in re.findall(r"`(\w+)`", row)]
    yield from (f"CONTRIBUTING.md lacks the step `{step}` of tools/check.sh" for step in steps if step not in listed)


def check_paths(root):
    path = re.compile(r"`((?:[\w.-]+/)+[\w.-]+\.(?:h|cpp|py|sh|mjs|ts|lua|service))`")
    for page in pages(root):
        if page.name == "CHANGELOG.md":  # tells of what was
            continue
        for number, line in prose_and_table_lines(page.read_text()):
            for name in path.findall(line):
                # what a reader is to write: `bench/X.cpp`, `src/policies/my_fifo.cpp`
                written_by_reader = re.search(r"(?:\b|_)X\b|/my_", name)
                sought = str(pathlib.Path(name).parent) if written_by_reader else name
                if not any((folder / sought).exists() for folder in (root, root / "src", page.parent)):
                    yield f"{page.relative_to(root)}:{number}: names `{name}`, which does not exist"


CHECKS = (check_readme_size, check_wrapped, check_linked, check_vocabulary, check_layers, check_steps,
          check_paths, check_names, check_glossary)


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    problems = [problem for check in CHECKS for problem in check(root)]
    print("\n".join(problems) or "docs: as the code says")
    sys.exit(bool(problems))


if __name__ == "__main__":
    main()
