#!/usr/bin/env python3
"""The worked example of docs/add-a-policy.md compiles as it stands. docs_test.py COMPILER"""
import pathlib
import re
import subprocess
import sys

root = pathlib.Path(__file__).resolve().parents[2]
page = (root / "docs" / "add-a-policy.md").read_text()
examples = [code for code in re.findall(r"```cpp\n(.*?)```", page, re.S) if "#include" in code]
assert len(examples) == 1, "the page should have one whole example"
flags = ["-std=c++20", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", f"-I{root / 'src'}", "-xc++", "-"]
done = subprocess.run([sys.argv[1], *flags], input=examples[0], text=True, check=False)
print("docs: the example compiles" if done.returncode == 0 else "docs: the example does not compile")
sys.exit(done.returncode)
