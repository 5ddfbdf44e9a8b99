#!/usr/bin/env python3
"""Writes the whole examples of a page, its C++ blocks that begin with an include, into one file. page_examples.py PAGE OUT"""
import pathlib
import re
import sys


def examples_of(page):
    return [code for code in re.findall(r"^```cpp\n(.*?)^```", page, re.S | re.M) if code.startswith("#include")]


if __name__ == "__main__":
    out = pathlib.Path(sys.argv[2])
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text("\n".join(examples_of(pathlib.Path(sys.argv[1]).read_text())))
