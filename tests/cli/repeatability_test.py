#!/usr/bin/env python3
"""The same bits again: each method in each precision, over several runs and numbers of threads.

The environment variable KUBATURE_PROGRAM is the path of the program, KUBATURE_RUNS the number of runs (3).
"""

import itertools
import os
import unittest

from exact import PEAK, PRECISIONS, run

RUNS = int(os.environ.get("KUBATURE_RUNS", "3"))
THREADS = [1, 2, 7]
METHODS = {
    "vegas+": ["--evaluations", "5e4", "--iterations", "6"],
    "mcubes": ["--evaluations", "5e4", "--iterations", "6"],
    "mcubes-1d": ["--evaluations", "5e4", "--iterations", "6"],
    "qmc": ["--evaluations", "1e5"],
    "mc": ["--evaluations", "5e4", "--iterations", "3"],
    "pagani": ["--relative", "1e-4"],
    "two-phase": ["--relative", "1e-4"],
}


def result(arguments, threads):
    numbers = run(["integrate", *PEAK, *arguments, "--seed", "7"], OMP_NUM_THREADS=str(threads), OMP_PROC_BIND="false",
                  OMP_WAIT_POLICY="passive")
    del numbers["seconds"]
    return numbers


class Repeatability(unittest.TestCase):
    def check(self, arguments):
        first = result(arguments, THREADS[0])
        self.assertNotIn(first["value"], [None, "0.0"], first)
        for run, threads in zip(range(1, RUNS), itertools.cycle(THREADS[1:] + THREADS[:1])):
            again = result(arguments, threads)
            self.assertEqual(again, first, f"run {run} with {threads} threads, and the first with {THREADS[0]}")

    def test_each_method_in_each_precision(self):
        for (method, work), precision in itertools.product(METHODS.items(), PRECISIONS):
            with self.subTest(method=method, precision=precision):
                self.check(["--method", method, "--precision", precision, *work])

    def test_mixed_precision(self):
        for strategy in ["term", "region", "hybrid"]:
            with self.subTest(strategy=strategy):
                self.check(["--strategy", strategy, "--relative", "1e-3", "--evaluations", "5e4"])


if __name__ == "__main__":
    unittest.main()
