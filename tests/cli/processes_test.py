#!/usr/bin/env python3
"""The program `kubature` under an MPI launcher: one result, printed once, whatever the number of processes.

The environment variable KUBATURE_PROGRAM is the path of the program, KUBATURE_LAUNCHER the launcher with the option
that says how many processes it starts, and KUBATURE_LAUNCHER_FLAGS what else it takes.
"""

import json
import os
import subprocess
import tempfile
import unittest

PROGRAM = os.environ["KUBATURE_PROGRAM"]
LAUNCHER = os.environ["KUBATURE_LAUNCHER"].split()
FLAGS = os.environ.get("KUBATURE_LAUNCHER_FLAGS", "").split()


def run(processes, *arguments):
    return subprocess.run([*LAUNCHER, str(processes), *FLAGS, PROGRAM, *arguments], capture_output=True, text=True,
                          timeout=300)


class Processes(unittest.TestCase):
    def result(self, processes, *arguments):
        done = run(processes, "integrate", "exp(-50*(x-y)^2)/(1+z)", "--json", *arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        result = json.loads(done.stdout)  # there is one
        del result["seconds"]
        return result

    def test_the_same_result_printed_once(self):
        for method in ["vegas+", "mcubes", "mc"]:
            options = ["--method", method, "--evaluations", "40000"]
            alone = self.result(1, *options)
            for processes in [2, 4]:
                self.assertEqual(self.result(processes, *options), alone, (method, processes))

    def test_cubature(self):
        options = ["--method", "pagani", "--relative", "1e-7"]
        alone = self.result(1, *options)
        for processes in [2, 4]:
            together = self.result(processes, *options)
            self.assertEqual(together["regions"], alone["regions"])
            self.assertAlmostEqual(together["value"] / alone["value"], 1, delta=1e-14)

    def test_one_message(self):
        done = run(3, "integrate", "x", "--box", "2:1")
        self.assertNotEqual(done.returncode, 0)
        self.assertEqual(done.stderr.count("kubature: error:"), 1, done.stderr)
        done = run(2, "integrate", "x", "--method", "two-phase", "--relative", "1e-3")
        self.assertIn("--method two-phase: it works in one process", done.stderr)

    def test_map_and_checkpoint(self):
        with tempfile.TemporaryDirectory() as folder:
            files = ["--map", os.path.join(folder, "map"), "--checkpoint", os.path.join(folder, "state")]
            self.result(2, "--evaluations", "20000", *files)
            self.assertEqual(os.listdir(folder), ["map"])

    def test_suite(self):
        done = run(2, "suite", "f4-5d", "--evaluations", "20000", "--method", "vegas+")
        self.assertEqual(len(done.stdout.splitlines()), 2, done.stdout)


if __name__ == "__main__":
    unittest.main()
