"""The command `kubature` of a wheel: runs the program in bin."""

from __future__ import annotations

import os
import sys
from pathlib import Path


def main() -> None:
    program = Path(__file__).parent / "bin" / "kubature"
    if not program.exists():
        sys.exit("kubature: this package was built without the program, which needs CLI11 and nlohmann-json")
    os.execv(program, ["kubature", *sys.argv[1:]])
