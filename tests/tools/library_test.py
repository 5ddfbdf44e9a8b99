#!/usr/bin/env python3
"""docs/library.md shows the example program and what it prints as they are. library_test.py PROGRAM SOURCE"""
import pathlib
import re
import subprocess
import sys

program, source = sys.argv[1], pathlib.Path(sys.argv[2])
page = (pathlib.Path(__file__).resolve().parents[2] / "docs" / "library.md").read_text()
code = source.read_text()
assert len(code.splitlines()) <= 30, f"{source} has more than 30 lines"
assert code in re.findall(r"```cpp\n(.*?)```", page, re.S), f"docs/library.md does not show {source} as it is"
printed = subprocess.run([program], capture_output=True, text=True, check=True).stdout
shown = re.findall(r"```text\n(.*?)```", page, re.S)
assert printed in shown, f"docs/library.md shows\n{''.join(shown)}but {program} prints\n{printed}"
print("library: the example is as the page shows it")
