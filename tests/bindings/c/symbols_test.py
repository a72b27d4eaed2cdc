#!/usr/bin/env python3
"""symbols_test.py NM LIBRARY LIST HEADER: the library offers the symbols of LIST, in its order, and no others, and
HEADER declares them. What programs were linked with has to stay: a symbol that goes needs a new SOVERSION."""
import re
import subprocess
import sys

nm, library, list_file, header = sys.argv[1:]
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
if expected != sorted(expected):
    print("the list is not sorted")
    failed = True
sys.exit(failed)
