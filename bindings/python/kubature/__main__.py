"""The command kubature of the package: plots, and everything that the program kubature does.

    kubature plot "exp(-x*y)"      see kubature plot --help
    kubature integrate "x*y"       calls the program: that of the wheel, or the one on the PATH

`python3 -m kubature` is the same.
"""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path


def program() -> str | None:
    """Where the program is, which is not this command."""
    of_wheel = Path(__file__).parent / "bin" / "kubature"
    if of_wheel.exists():
        return str(of_wheel)
    found = shutil.which("kubature")
    return None if found is None or os.path.realpath(found) == os.path.realpath(sys.argv[0]) else found


def main(arguments: list[str] | None = None) -> int:
    """Does what the arguments of the command line say, and returns the exit status."""
    arguments = sys.argv[1:] if arguments is None else arguments
    if arguments[:1] == ["plot"]:
        from ._plot_command import main as plot

        return plot(arguments[1:])
    path = program()
    if path is None:
        print(
            "kubature: this package was built without the program, which needs CLI11 and nlohmann-json; "
            "there is: kubature plot FORMULA",
            file=sys.stderr,
        )
        return 2
    os.execv(path, ["kubature", *arguments])


if __name__ == "__main__":
    sys.exit(main())
