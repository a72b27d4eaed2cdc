#!/usr/bin/env python3
"""symbols_test.py NM LIBRARY LIST HEADER PYTHON FORTRAN: the library offers the symbols of LIST, in its order, and no
others, HEADER declares them, and the sources of the results of Python and Fortran read all parts of a result. Programs
that were linked with a symbol need it: removing one requires a new SOVERSION."""
import re
import subprocess
import sys

nm, library, list_file, header, python, fortran = sys.argv[1:]
# What languages compute from other parts of a result, or find in its text.
not_read = {python: "complex covariance destroy linear ratio",
            fortran: "complex covariance_matrix linear part parts ratio remark remarks"}
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
for source, others in not_read.items():
    read = set(re.findall(r"\bkubature_result_(\w+)", open(source, encoding="ascii").read())) | set(others.split())
    for name in sorted({name.removeprefix("kubature_result_") for name in expected if "_result_" in name} - read):
        print(f"{source} lacks kubature_result_{name}")
        failed = True
if expected != sorted(expected):
    print("the list is not sorted")
    failed = True
sys.exit(failed)
