"""python3 -m kubature: plots, and everything else that the program kubature does where it is at hand.

    python3 -m kubature plot "exp(-x*y)"      see python3 -m kubature.plot --help
    python3 -m kubature integrate "x*y"       calls the program
"""

from __future__ import annotations

import os
import shutil
import sys


def main(arguments: list[str]) -> int:
    """Does what the arguments of the command line say, and returns the exit status."""
    if arguments[:1] == ["plot"]:
        from ._plot_command import main as plot

        return plot(arguments[1:])
    program = shutil.which("kubature")
    if program is None:
        print("kubature: the program is not on the PATH; there is: python3 -m kubature plot FORMULA", file=sys.stderr)
        return 2
    os.execv(program, [program, *arguments])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
