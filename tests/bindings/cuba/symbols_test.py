#!/usr/bin/env python3
"""symbols_test.py NM LIBRARY LIST FOLDER: the library offers the symbols of LIST, in its order, and no others, and the
headers in FOLDER declare those of C. Programs that were linked with a symbol need it: removing one requires a new
SOVERSION."""
import pathlib
import re
import subprocess
import sys

nm, library, list_file, folder = sys.argv[1:]
lines = subprocess.run([nm, "-D", "--defined-only", library], check=True, capture_output=True, text=True).stdout
found = sorted(line.split()[-1] for line in lines.splitlines())
expected = open(list_file, encoding="ascii").read().split()
headers = "".join(path.read_text(encoding="ascii") for path in pathlib.Path(folder).glob("*.h"))
declared = set(re.findall(r"^void (\w+)\(", headers, re.MULTILINE))
of_fortran = {name.lower() for name in declared if name != name.lower()} | {name.lower() + "_" for name in declared
                                                                            if not name.startswith("kubature_")}
failed = found != expected or declared | of_fortran != set(expected)
if failed:
    print("the library:", *found, "\nthe list:", *expected, "\nthe headers:", *sorted(declared | of_fortran))
sys.exit(failed)
