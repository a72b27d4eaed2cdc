#!/usr/bin/env python3
"""Results to the bit: what each method computes now is what it computed when bits.json was recorded.

The integrands but one take no more than + - * /, so that no mathematical library decides their bits. A compiler may, so
results are compared only where compiler, Kokkos, device and SLEEF are those of a record. `bits_test.py --record FILE` writes all records with
that of this build; whoever changes bits says which, and why, in the commit. `bits_test.py --commands` prints what the
program is called with.

The environment variable KUBATURE_PROGRAM is the path of the program.
"""

import itertools
import json
import os
import shlex
import sys
import unittest

from exact import PEAK, PRECISIONS, run

RECORDS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bits.json")
SAMPLING = ["--evaluations", "2e4", "--iterations", "8"]
METHODS = {
    "vegas+": SAMPLING,
    "mcubes": SAMPLING,
    "mcubes-1d": SAMPLING,
    "mc": SAMPLING,
    "qmc": ["--evaluations", "5e4"],
    "pagani": ["--relative", "1e-5", "--channels", "never"],
    "two-phase": ["--relative", "1e-5", "--channels", "never"],
}
ACROSS = ["exp(-(x-0.5)^2/0.02 - (y-0.4-2*(x-0.5))^2/0.0002 - (z-x)^2/0.0002)", "--box", "0:1"]
CUT = ["if(x + y < 0.9, 1 + x*y, 0)", "--box", "0:1,0:2"]
TERMS = ["x*y/(1 + z) + 1/(0.1 + (x-y)^2) - z^3", "--box", "0:1"]


def commands():
    for (method, work), precision in itertools.product(METHODS.items(), PRECISIONS):
        yield ["integrate", *PEAK, "--method", method, "--precision", precision, *work]
    for method, work in METHODS.items():
        if method != "mcubes-1d":
            cubature = method in ("pagani", "two-phase")
            yield ["integrate", *CUT, "--method", method, *(["--relative", "1e-3", "--no-close-look"] if cubature else work)]
    yield ["integrate", *PEAK, "--relative", "3e-5", "--channels", "never", "--evaluations", "1e4"]
    for options in [["--rule", "sobol"], ["--transform", "korobov2", "--trained-map", "none"], ["--shifts", "9"],
                    ["--trained-map", "rotated"]]:
        yield ["integrate", *PEAK, "--method", "qmc", "--evaluations", "5e4", *options]
    yield ["integrate", *ACROSS, "--method", "qmc", "--evaluations", "7e4"]
    for strategy in ["term", "region", "hybrid"]:
        yield ["integrate", *TERMS, "--strategy", strategy, "--relative", "1e-3", "--evaluations", "5e4",
               "--channels", "never"]
    for name, method in itertools.product(["f2", "f3-8d", "f7", "linear"], ["vegas+", "mcubes", "mc"]):
        yield ["suite", name, "--method", method, *SAMPLING]
    for name, method in itertools.product(["f2", "f3-3d", "f7"], ["pagani", "two-phase"]):
        yield ["suite", name, "--method", method, "--relative", "1e-2", "--channels", "never", "--evaluations", "2e6",
               "--seconds", "300"]


def bits(arguments):
    """The numbers that a command ends with, as one line."""
    result = run([*arguments, "--seed", "11"])
    result = result[0] if isinstance(result, list) else result
    return " ".join(str(result[key]) for key in ["status", "value", "error", "evaluations", "regions"])


def build():
    """What decides of bits."""
    info = run(["info"])
    backend = info["backends"][0]
    device = backend["device"] if backend["backend"] not in ("OpenMP", "Serial", "Threads") else os.uname().machine
    vectors = ["SLEEF"] if "SLEEF" in info["options"] else []
    return ", ".join([info["compiler"], "Kokkos " + info["kokkos"], backend["backend"], device, *vectors])


def records():
    with open(RECORDS, encoding="utf-8") as file:
        return json.load(file)


class Bits(unittest.TestCase):
    maxDiff = None

    def test_results_are_those_recorded(self):
        record = records().get(build())
        if record is None:
            self.skipTest("there is no record of " + build())
        # A record made before a method was added lacks its commands, and has no others.
        recorded = [command for command in commands() if " ".join(command) in record]
        self.assertEqual(len(recorded), len(record))
        for command in recorded:
            with self.subTest(command=" ".join(command)):
                self.assertEqual(bits(command), record[" ".join(command)])


if __name__ == "__main__":
    if sys.argv[1:2] == ["--record"]:
        everything = records() if os.path.exists(RECORDS) else {}
        everything[build()] = {" ".join(command): bits(command) for command in commands()}
        with open(sys.argv[2], "w", encoding="utf-8") as output:
            json.dump(everything, output, indent=1)
            output.write("\n")
    elif sys.argv[1:] == ["--commands"]:
        for command in commands():
            print(shlex.join(command))
    else:
        unittest.main()
