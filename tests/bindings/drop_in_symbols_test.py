#!/usr/bin/env python3
"""drop_in_symbols_test.py NM LIBRARY SYMBOL ...: the library offers these symbols, and no others."""
import subprocess
import sys

nm, library, *expected = sys.argv[1:]
lines = subprocess.run([nm, "-D", "--defined-only", library], check=True, capture_output=True, text=True).stdout
found = [line.split()[-1] for line in lines.splitlines()]
if sorted(found) != sorted(expected):
    sys.exit(f"the library has {sorted(found)}, not {sorted(expected)}")
