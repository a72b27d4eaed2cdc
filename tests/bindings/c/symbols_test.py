#!/usr/bin/env python3
"""symbols_test.py NM LIBRARY LIST HEADER RESULT: the library offers the symbols of LIST, in its order, and no others,
HEADER declares them, and RESULT, the source of Python's results, reads all parts of a result. Programs that were linked
with a symbol need it: removing one requires a new SOVERSION."""
import re
import subprocess
import sys

nm, library, list_file, header, result = sys.argv[1:]
# Python computes these from other parts of a result, or its destructor calls them.
not_read = {f"kubature_result_{name}" for name in ("covariance", "destroy", "linear", "ratio")}
lines = subprocess.run([nm, "-D", "--defined-only", library], check=True, capture_output=True, text=True).stdout
found = sorted(line.split()[-1] for line in lines.splitlines())
expected = open(list_file, encoding="ascii").read().split()
declared = sorted(set(re.findall(r"\b(kubature_\w+)\(", open(header, encoding="ascii").read())))
failed = False
for what, names in (("the library", found), ("the header", declared)):
    for name in sorted(set(names) - set(expected)):
        print(f"{what} has {name}, and the list has not")
        failed = True
    for name in sorted(set(expected) - set(names)):
        print(f"the list has {name}, and {what} has not")
        failed = True
read = set(re.findall(r"\bkubature_result_\w+", open(result, encoding="ascii").read())) | not_read
for name in expected:
    if name.startswith("kubature_result_") and name not in read:
        print(f"Python's results lack {name}")
        failed = True
if expected != sorted(expected):
    print("the list is not sorted")
    failed = True
sys.exit(failed)
