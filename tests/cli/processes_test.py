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


def run(processes, *arguments, program=(PROGRAM,)):
    return subprocess.run([*LAUNCHER, str(processes), *FLAGS, *program, *arguments], capture_output=True, text=True,
                          timeout=300)


def by_rank(script):
    """The program after a line of shell, which knows its process as $rank."""
    rank = "rank=${PMI_RANK:-${PMIX_RANK:-$OMPI_COMM_WORLD_RANK}}"
    return ["sh", "-c", f'{rank}; {script}; exec "$0" "$@"', PROGRAM]


class Processes(unittest.TestCase):
    def result(self, processes, *arguments):
        done = run(processes, "integrate", "exp(-50*(x-y)^2)/(1+z)", "--json", *arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        result = json.loads(done.stdout)  # there is one
        del result["seconds"]
        return result

    def test_the_same_result_printed_once(self):
        for method in ["vegas+", "mcubes", "mc", "qmc"]:
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

    def test_many_integrals(self):
        with tempfile.TemporaryDirectory() as folder:
            table, output = os.path.join(folder, "scan.csv"), os.path.join(folder, "out.csv")
            with open(table, "w", encoding="ascii") as file:
                file.write("a,x.upper\n" + "".join(f"{k % 7},{1 + k}\n" for k in range(40)))
            command = ["many", "exp(-a*x)/(1+y)", "--vars", "x,y", "--table", table]
            for options in [["--relative", "1e-8"], ["--method", "vegas+", "--evaluations", "1000", "--seed", "3"]]:
                alone = run(1, *command, *options)
                self.assertEqual((alone.returncode, len(alone.stdout.splitlines())), (0, 41), alone.stderr)
                for processes in [2, 4]:
                    self.assertEqual(run(processes, *command, *options).stdout, alone.stdout, (options, processes))
            done = run(3, *command, "--relative", "1e-8", "--output", output)
            self.assertRegex(done.stdout, "^40 of 40 integrals converged, ")
            self.assertEqual(len(done.stdout.splitlines()), 1)
            os.remove(table)
            refused = run(3, *command, "--relative", "1e-8")
            self.assertEqual(refused.returncode, 2, refused.stderr)
            self.assertEqual(refused.stderr.count("kubature: error: --table "), 1, refused.stderr)

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

    def test_files_are_those_of_the_first_process(self):
        with tempfile.TemporaryDirectory() as folder:
            for name in ["0", "1", "2"]:
                os.mkdir(os.path.join(folder, name))
            apart = by_rank(f"cd {folder}/$rank")
            command = ["integrate", "exp(-50*(x-y)^2)/(1+z)", "--json", "--evaluations", "20000", "--map", "map"]
            first = run(3, *command, program=apart)
            self.assertEqual(first.returncode, 0, first.stderr)
            self.assertEqual([os.listdir(os.path.join(folder, name)) for name in "012"], [["map"], [], []])
            with open(os.path.join(folder, "2", "map"), "w", encoding="ascii") as file:
                file.write("no map, and nobody's business")
            alone = os.path.join(folder, "copy")
            with open(os.path.join(folder, "0", "map"), "rb") as source, open(alone, "wb") as copy:
                copy.write(source.read())
            second = json.loads(run(3, *command, program=apart).stdout)
            reference = json.loads(run(1, *command[:-1], alone).stdout)
            self.assertEqual({**second, "seconds": 0}, {**reference, "seconds": 0})
            with open(os.path.join(folder, "0", "map"), "w", encoding="ascii") as file:
                file.write("no map")
            refused = run(3, *command, program=apart)
            self.assertEqual(refused.returncode, 2, refused.stderr)
            self.assertEqual(refused.stderr.count("kubature: error: --map map: "), 1, refused.stderr)

    def test_nobody_waits_for_a_process_that_fails(self):
        alone = 'test "$rank" != 1 || set -- '
        for arguments, message in [("integrate x --evaluations 1", "--evaluations 1"),
                                   ("integrate x --vars x,2", "--vars"),
                                   ("integrate x*y --evaluations 1e4 --skip 20 --iterations 20", "skip")]:
            done = run(3, "integrate", "x*y", "--evaluations", "20000", program=by_rank(alone + arguments))
            self.assertNotEqual(done.returncode, 0)
            self.assertEqual(done.stderr.count("kubature: error:"), 1, done.stderr)
            self.assertIn(message, done.stderr)

    def test_suite(self):
        done = run(2, "suite", "f4-5d", "--evaluations", "20000", "--method", "vegas+")
        self.assertEqual(len(done.stdout.splitlines()), 2, done.stdout)


if __name__ == "__main__":
    unittest.main()
