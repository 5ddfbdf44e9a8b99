#!/usr/bin/env python3
"""Fails on a function of more than 40 lines and on a C++ file of more than 600. The lines of a function are those
from its signature to its closing brace, less those that hold nothing but a text or a comment.
check_sizes.py ROOT [--summary]: with --summary it also prints how many files there are and how long."""
import pathlib
import re
import statistics
import sys

from cpp_text import code_of

LONGEST_FUNCTION = 40
LONGEST_FILE = 600
CONTROL = re.compile(r"\b(if|for|while|switch|catch|else|do)\b")
SCOPE = re.compile(r"^(?:template\s*<.*>\s*)?(?:inline\s+)?(?:namespace|struct|class|union|enum|extern)\b", re.S)


def is_function(head):
    """Whether a brace after these words opens the body of a function (and not a scope or a list of values)."""
    head = re.sub(r"(?m)^\s*(public|private|protected)\s*:", "", head).strip()
    if "(" not in head or SCOPE.match(head) or CONTROL.match(head):
        return False
    before = head.split("(")[0]
    return "=" not in before.replace("operator==", "").replace("operator=", "").replace("operator<=>", "")


def functions_of(text):
    """(first line, number of lines, signature) of every function that stands in a file, a namespace or a class."""
    code = code_of(text)
    opened = []  # for each open brace: the place of its head if it is a function's body
    begin = 0
    depth_of_function = None
    for place, mark in enumerate(code):
        if mark == ";" and depth_of_function is None and code.count("(", begin, place) == code.count(")", begin, place):
            begin = place + 1
        elif mark == "{":
            head = code[begin:place]
            # `member_{value}` has no blank before its brace, the body of a function has
            inside = not head[-1:].isspace() or code.count("(", begin, place) != code.count(")", begin, place)
            if depth_of_function is None and not inside and is_function(head):
                depth_of_function = len(opened)
                opened.append(begin + len(head) - len(head.lstrip()))
            else:
                opened.append(None)
                if depth_of_function is None and not inside and SCOPE.match(head.strip()):
                    begin = place + 1
        elif mark == "}" and opened:
            start = opened.pop()
            if depth_of_function is not None and len(opened) == depth_of_function:
                depth_of_function = None
                lines = [line for line in code[start:place + 1].split("\n") if line.strip(" ;,()")]
                yield text.count("\n", 0, start) + 1, len(lines), lines[0].strip()
                begin = place + 1
            elif depth_of_function is None and code[begin:place].strip() == "":
                begin = place + 1


def main():
    root = pathlib.Path(sys.argv[1])
    bad = []
    lengths = []
    for folder in ("src", "tests", "bench", "fuzz", "examples"):
        for file in sorted((root / folder).rglob("*")):
            if file.suffix not in (".h", ".cpp"):
                continue
            text = file.read_text()
            name = file.relative_to(root)
            lines = text.count("\n")
            if folder == "src":
                lengths.append(lines)
            if lines > LONGEST_FILE:
                bad.append(f"{name}: {lines} lines; a file has at most {LONGEST_FILE}")
            for first, length, signature in functions_of(text):
                if length > LONGEST_FUNCTION:
                    bad.append(f"{name}:{first}: {length} lines; a function has at most {LONGEST_FUNCTION}: {signature[:60]}")
    print("\n".join(bad) or "sizes: clean")
    if "--summary" in sys.argv:
        lengths.sort()
        print(f"src: {len(lengths)} files, mean {statistics.mean(lengths):.0f} lines, 95 % have at most "
              f"{lengths[int(0.95 * len(lengths))]}, {sum(1 for n in lengths if n <= 50)} have at most 50")
    sys.exit(bool(bad))


main()
